#!/bin/sh
# export --url: documents arrive whatever the server does, and what does not is told.
# shellcheck source=tests/e2e/lib.sh
. "$abs_top_srcdir/tests/e2e/lib.sh"

if ! need python3; then
	skip "documents are sent" "no $missing"
	done_testing
fi
# Python keeps what it compiles out of the sources.
export PYTHONDONTWRITEBYTECODE=1
here=$abs_top_srcdir/tests/e2e/export
unset http_proxy https_proxy all_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY

# serve NAME [CERTIFICATE KEY]: a server in the directory NAME, at $port.
serve()
{
	server=$work/$1
	shift
	rm -rf "$server" && mkdir "$server"
	if grep -q 'define HAVE_ZLIB 1' "$abs_top_builddir/config.h"; then : >"$server/gzip"; fi
	timeout 290 python3 "$here/bulkserver.py" "$server" "$@" >"$server/out" 2>&1 &
	for _ in $(seq 200); do
		[ -e "$server/port" ] && break
		sleep 0.05
	done
	port=$(cat "$server/port")
	url=http://127.0.0.1:$port/some/where/
}

# send WORDS...: export with the server's url, and with limits that a test can wait for.
send()
{
	timeout 60 "$PERFMON" export "$@" --url "$url" --request-timeout 3s --patience "${patience-20s}" 2>err </dev/null
}

# has NAME FILE...: the server has the documents of these files, and no others.
has()
{
	has_name=$1
	shift
	is "$(python3 -c '
import json, sys
want = {}
for path in sys.argv[2:]:
    lines = open(path, encoding="utf-8", newline="\n").read().split("\n")
    for a, d in zip(lines[::2], lines[1::2]):
        what = json.loads(a)["index"]
        want[what["_index"] + "/" + what["_id"]] = json.loads(d)
have = dict(json.loads(line) for line in open(sys.argv[1], encoding="utf-8"))
print(len(want) > 0, have == want or f"{len(have)} of {len(want)}")' "$server/documents" "$@" 2>&1)" "True True" "$has_name"
}

# words: what the server did, without repetitions of ok.
words()
{
	cut -d ' ' -f 1 "$server/log" | uniq | tr '\n' ' '
}

python3 "$here/layoutjob.py" job && "$PERFMON" submit job >out 2>err &&
	"$PERFMON" export samples 4712 -o samples.bulk 2>err && "$PERFMON" export hosts 4712 -o hosts.bulk 2>err
is $? 0 "a job: $(wc -l <samples.bulk) lines, $(wc -c <samples.bulk) bytes"
"$PERFMON" export hosts 4712 --url http://127.0.0.1:1/ --patience 100ms 2>err
if grep -q 'sending needs libcurl' err; then
	is "$(grep -c 'let curl --data-binary @FILE send it' err)" 1 "without libcurl there is a reason"
	skip "documents are sent" "built without libcurl"
	done_testing
fi
serve one

# --- what is taken ---
send samples 4712
is "$?|$(cat err)" "0|" "documents are sent"
has "and arrive" samples.bulk
is "$(cut -d ' ' -f 3- "$server/log" | sort -u)|$([ "$(wc -l <"$server/log")" -gt 2 ] && echo several)" "- |several" \
	"in requests that are as they are to be"
send samples 4712 -v
is "$?|$(grep -c "documents sent to $url" err)" "0|1" "once more"
has "a replay is harmless" samples.bulk
head -n 1 "$server/documents" | cut -d '"' -f 2 >key
grep -v "$(cat key)" "$server/documents" >rest && mv rest "$server/documents"
is "$(has planted samples.bulk | head -n 1 | cut -d ' ' -f 1)" "not" "a document that is missing is found"
: >"$server/stop"

# --- what is to be sent again ---
for word in 429 items429; do
	serve "again-$word"
	echo "ok $word ok $word" >"$server/plan"
	send samples 4712
	is "$?|$(cat err)|$(words | cut -d ' ' -f 1-4)" "0||ok $word ok $word" "$word is answered by sending again"
	has "$word: all is there" samples.bulk
	: >"$server/stop"
done
for word in 429after 503 close cut hang; do
	serve "again-$word"
	echo "$word" >"$server/plan"
	send hosts 4712
	is "$?|$(cat err)|$(words)" "0||$word ok " "$word is answered by sending again"
	has "$word: all is there" hosts.bulk
	: >"$server/stop"
done
serve small
echo "ok small:100" >"$server/plan"
send samples 4712
is "$?|$(cat err)|$(grep -c '^413 ' "$server/log" | grep -c '^[1-9]')" "0||1" "a request that is too large is split"
has "and all is there" samples.bulk
echo "small:0" >"$server/plan"
send hosts 4712
is "$?|$(sed 's/.*took/took/' err)" "1|took 0 documents and refused 4, such as: the server takes no request of its size (413)" \
	"documents that are too large by themselves are told"
: >"$server/stop"

# --- what is refused ---
serve items
echo "items" >"$server/plan"
send hosts 4712
is "$?|$(sed 's/.*took/took/' err)" '1|took 3 documents and refused 1, such as: mapper_parsing_exception: failed to parse \x1b[31m field' \
	"errors of documents in an answer of status 200 are told and counted"
is "$(wc -l <"$server/log")" 1 "and are not sent again, without end"
for word in 401 500 302 html other endless; do
	echo "$word" >"$server/plan"
	send hosts 4712
	is "$?|$(wc -l <err)|$(wc -l <"$server/log")" "1|1|2" "$word is an end: $(sed 's/.*some.where.: //' err)"
	sed -i 1d "$server/log"
done
is "$(grep -c elsewhere "$server/log")" 0 "no redirection is followed"

# --- who is asking ---
echo 'elastic:se:cret' >password && chmod 600 password
send hosts 4712 --credentials password
is "$?|$(tail -n 1 "$server/log" | cut -d ' ' -f 3-4)|$(cat err)" \
	"0|Basic $(printf elastic:se:cret | base64)|perfmon: warning: --credentials go to $url without encryption: use https" "a user and a password"
echo 'ApiKey abc==' >key && chmod 600 key
send hosts 4712 --credentials key
is "$?|$(tail -n 1 "$server/log" | cut -d ' ' -f 3-4)" "0|ApiKey abc==" "a key"
: >"$server/log"
chmod 640 key
send hosts 4712 --credentials key
is "$?|$(grep -c 'others than its owner can read or write it: chmod 600 key' err)|$(cat "$server/log")" "1|1|" "not from a file that others can read"
printf 'a:b\033c\n' >odd && chmod 600 odd
echo nothing >plain && chmod 600 plain
for file in odd plain nosuch .; do
	send hosts 4712 --credentials $file
	is "$?|$(grep -c "^perfmon: --credentials $file" err)|$(cat "$server/log")" "1|1|" "nor from: $file"
done
: >"$server/stop"

# --- the spool ---
serve spooled
patience=1s
echo "ok 503 503 503 503 503 503 503 503" >"$server/plan"
send samples 4712 --spool spool
is "$?|$(grep -c 'documents are in spool: the next export with this --spool sends them' err)|$(find spool -name 'bulk-*' | wc -l | grep -c '^[1-9]')" \
	"1|1|1" "what is not taken is in the spool"
is "$(stat -c %a spool spool/* | sort -u | tr '\n' ' ')" "600 700 " "which is its owner's"
is "$(cat spool/* | wc -l)" "$(($(wc -l <samples.bulk) - 2 * $(sed -n '1s/ok \([0-9]*\) .*/\1/p' "$server/log")))" "all of it"
: >"$server/plan"
: >"$server/log"
send hosts 4712 --spool spool
is "$?|$(cat err)|$(ls spool)" "0||" "the next export sends it"
has "and all is there" samples.bulk hosts.bulk
rm -f spool/* && : >"$server/stop"
wait
# Away: nothing listens there any more.
send samples 4712 --spool spool
is "$?|$(find spool -name 'bulk-*' | wc -l | grep -c '^[1-9]')" "1|1" "a server that is away"
before=$(cat spool/* | wc -c)
send samples 4712 --spool spool --spool-limit "$((before + 1000))"
is "$?|$(cat spool/* | wc -c)|$(grep -c 'and room for no more: see --spool-limit' err)" "1|$before|1" "a spool has a limit"
send hosts 4712
is "$?|$(grep -c -- '--patience says how long it is tried, --spool DIR keeps what was not taken' err)" "1|1" "without a spool it is an error"
serve back
send hosts 4712 --spool spool
is "$?|$(cat err)|$(ls spool)" "0||" "a server that is back"
has "has all" samples.bulk hosts.bulk
dd if=/dev/zero of="spool/bulk-big.ndjson" bs=1M count=65 2>/dev/null
send hosts 4712 --spool spool
is "$?|$(grep -c "spool spool/bulk-big.ndjson is no request of perfmon's" err)" "1|1" "what cannot be a request is not read"
rm -rf spool && mkdir spool && chmod 777 spool
send hosts 4712 --spool spool
is "$?|$(grep -c 'others may write there' err)" "1|1" "nor a spool that others may write to"
: >"$server/stop"
patience=20s

# --- TLS ---
if need openssl && openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out good.pem -days 2 -subj /CN=localhost \
	-addext subjectAltName=DNS:localhost,IP:127.0.0.1 2>out &&
	openssl req -x509 -newkey rsa:2048 -nodes -keyout other.key -out other.pem -days 2 -subj /CN=other.example \
		-addext subjectAltName=DNS:other.example 2>out; then
	serve tls "$work/good.pem" "$work/key.pem"
	url=https://127.0.0.1:$port/some/where
	send hosts 4712 --ca-file good.pem --credentials password
	is "$?|$(cat err)" "0|" "by TLS, with a certificate of an authority that is trusted"
	has "all is there" hosts.bulk
	: >"$server/log"
	send hosts 4712 --credentials password
	is "$?|$(grep -c 'certificate' err)|$(cat "$server/log")" "1|1|" "not with one that is not: $(tail -n 1 err | sed 's/.*where: //')"
	send hosts 4712 --no-check-certificates
	is "$?|$(cat err)|$(wc -l <"$server/log")" "0||1" "unless told"
	: >"$server/stop"
	serve wrong "$work/other.pem" "$work/other.key"
	url=https://127.0.0.1:$port/some/where
	send hosts 4712 --ca-file other.pem
	is "$?|$(wc -l <err)|$(cat "$server/log" 2>/dev/null)" "1|1|" "nor with that of another host"
	: >"$server/stop"
else
	skip "by TLS" "no ${missing:-certificate by openssl}"
fi

# --- usage ---
for line in "hosts 4712 --url ftp://x/" "hosts 4712 --url http://a:b@x/" "hosts 4712 --url http://x/?a=b" "hosts 4712 --url http://127.0.0.1:1 --patience 1y"; do
	# shellcheck disable=SC2086 # words
	timeout 60 "$PERFMON" export $line 2>err
	is "$?|$(wc -l <err)" "1|1" "not: $line"
done
# What is wrong may be a URL with a password.
for line in ftp://u:hush@x/ u:hush@x:9200 https://u:hu/hush@x/ 'https://u:hush?@x/' 'https://x/?key=hush' 'x/?key=hush' https:///hush https://:9200/hush; do
	timeout 60 "$PERFMON" export hosts 4712 --patience 100ms --url "$line" 2>err
	is "$?|$(grep -c '^perfmon: --url: ' err)|$(grep -c hush err)" "1|1|0" "not, and not shown: $line"
done
for line in "hosts 4712 --url http://x/ -o file" "hosts 4712 --url http://x/ --format csv" "hosts 4712 --credentials key" "hosts 4712 --spool spool" \
	"hosts 4712 --url http://x/ --spool-limit 1k" "all 4712 --url http://x/" "--layout ska 4712 -o none --url http://x/" "hosts 4712 --patience 1s"; do
	# shellcheck disable=SC2086 # words
	timeout 60 "$PERFMON" export $line 2>err
	is "$?|$(wc -l <err)" "2|1" "not: $line"
done
for name in "$work"/*/port; do
	: >"${name%/port}/stop"
done
wait
done_testing
