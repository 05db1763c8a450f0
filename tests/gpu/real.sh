#!/bin/sh
# Source nvidia on a machine with a GPU of NVIDIA's, beside nvidia-smi and the driver's library.
#
#   tests/gpu/real.sh OUT            measures, in less than 150 seconds
#   tests/gpu/real.sh --pack DIR     copies perfmon, the libraries that it needs, and these scripts to
#                                    DIR, from where `DIR/real.sh OUT` runs on a machine without a build
#
# Here PERFMON names the binary, else build/gcc/perfmon; there it lies beside the script. PYTHON names
# a Python with PyTorch, which loads the GPU; without one the GPU stays idle. Nothing of the GPU's
# settings is changed. OUT gets summary.txt, with a line PASS, FAIL or NONE (no reading to compare) for
# each value, and evidence.tar.gz: series, outputs of nvidia-smi, and what the library answered, with
# the bytes of its lists of processes and of memory. No comparison that fails ends the script.

here=$(cd "$(dirname "$0")" && pwd)
if [ "${1-}" = --pack ]; then
	kit=${2:?"usage: real.sh --pack DIR"}
	perfmon=${PERFMON:-$here/../../build/gcc/perfmon}
	mkdir -p "$kit/lib" || exit 1
	cp "$here/real.sh" "$here/real.py" "$perfmon" "$kit/" || exit 1
	strip "$kit/perfmon"
	# The C library is the machine's own.
	ldd "$perfmon" | awk '/=> \// && $1 !~ /^lib(c|m|dl|pthread|rt)[.]/ { print $3 }' | xargs -I{} cp -L {} "$kit/lib/"
	exit
fi

out=${1:?"usage: real.sh OUT"}
mkdir -p "$out" || exit 1
out=$(cd "$out" && pwd)
work=$(mktemp -d) || exit 1
cd "$work" || exit 1
mkdir evidence
if [ -x "$here/perfmon" ]; then
	PERFMON=$here/perfmon
	libraries=$here/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
else
	PERFMON=${PERFMON:-$here/../../build/gcc/perfmon}
	libraries=${LD_LIBRARY_PATH-}
fi
# The libraries are for perfmon alone: Python has its own.
perfmon() { LD_LIBRARY_PATH=$libraries "$PERFMON" "$@"; }
if [ -z "${PYTHON-}" ]; then
	PYTHON=/opt/torch/.venv/bin/python3
	[ -x "$PYTHON" ] || PYTHON=python3
fi
begin=$(date +%s)
step() { echo "$(($(date +%s) - begin)) s: $*" | tee -a evidence/steps.txt; }

# --- who is here ------------------------------------------------------------------------------

step "the machine"
{
	uname -a
	id
	ls -l /dev/nvidia*
	cat /proc/driver/nvidia/version /proc/driver/nvidia/gpus/*/information
	for device in /sys/bus/pci/drivers/nvidia/*:*; do
		echo "$device $(cat "$device/power/control") $(cat "$device/power/runtime_status")"
	done
	ldconfig -p | grep nvidia-ml
	grep -H NSpid /proc/self/status
	ps -e -o pid,ppid,comm | head -n 50
} >evidence/machine.txt 2>&1
nvidia-smi -q -x >evidence/smi-idle.xml 2>&1
nvidia-smi -q >evidence/smi-idle.txt 2>&1
nvidia-smi --help-query-gpu >evidence/smi-fields.txt 2>&1

step "perfmon sources"
perfmon --version >evidence/version.txt 2>&1
perfmon sources nvidia nvidia_counters nvidia_pcie >evidence/sources.txt 2>&1
perfmon sources --json nvidia nvidia_counters nvidia_pcie >evidence/sources.json 2>evidence/sources.err
step "perfmon sources, a second time"
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	chmod 755 "$work"
	LD_LIBRARY_PATH=$libraries setpriv --reuid 65534 --regid 65534 --clear-groups \
		"$PERFMON" sources nvidia >evidence/sources-nobody.txt 2>&1
fi
PERFMON_NVML_LIBRARY=/nowhere/libnvidia-ml.so.1 perfmon sources nvidia >evidence/sources-nowhere.txt 2>&1

# --- a load, and three who look ---------------------------------------------------------------

step "load"
"$PYTHON" "$here/real.py" load evidence/phases.txt >evidence/load.txt 2>&1 &
load=$!
tries=0
until [ -s evidence/phases.txt ] || [ $tries = 300 ] || ! kill -0 $load 2>/dev/null; do
	sleep 0.1
	tries=$((tries + 1))
done
echo $load >evidence/load.pid
step "sampling"
mkdir series
LD_LIBRARY_PATH=$libraries "$PERFMON" sample -i 1s -d series --sources nvidia,nvidia_counters,nvidia_pcie,cpu,sampler \
	>evidence/sample.txt 2>&1 &
sampler=$!
"$PYTHON" "$here/real.py" smi evidence 56 &
smi=$!
"$PYTHON" "$here/real.py" library evidence 56 >evidence/library.txt 2>&1 &
library=$!
sleep 10
nvidia-smi -q -x >evidence/smi-load.xml 2>&1
nvidia-smi --query-compute-apps=gpu_uuid,pid,used_memory,name --format=csv,noheader,nounits >evidence/smi-apps.csv 2>&1
nvidia-smi pmon -s um -c 2 >evidence/smi-pmon.txt 2>&1
ps -o pid,ppid,nlwp,rss,comm --ppid $sampler -p $sampler >evidence/sampler-processes.txt 2>&1
wait $smi $library
kill -TERM $sampler
wait $sampler
echo "sampler ended with $?" >>evidence/sample.txt
kill $load 2>/dev/null
wait $load 2>/dev/null
cp series/*.series evidence/ 2>/dev/null
nvidia-smi -q -x >evidence/smi-after.xml 2>&1
perfmon sources nvidia >evidence/sources-after.txt 2>&1

# --- compare ----------------------------------------------------------------------------------

step "comparing"
"$PYTHON" "$here/real.py" compare evidence >"$out/summary.txt" 2>&1
step "done"
tar -czf "$out/evidence.tar.gz" evidence
cat "$out/summary.txt"
rm -rf "$work"
