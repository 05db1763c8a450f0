# shellcheck shell=sh
# In a bare root, in the folder of the tree: build the packages, as they are into /srv/v1 and with a higher version into
# /srv/v2, and have lintian look at the first.
set -e
export DEBIAN_FRONTEND=noninteractive DEB_BUILD_OPTIONS="parallel=${PM_PROVE_JOBS:-2}"
apt-get update -q
apt-get install -q -y --no-install-recommends build-essential fakeroot lintian
apt-get build-dep -q -y --no-install-recommends ./
dpkg-buildpackage -b -us -uc
lintian --allow-root --fail-on error ../perfmon_*.changes
mkdir /srv/v1 /srv/v2
mv ../*.deb /srv/v1
rm -f ../perfmon*.*

# The same once more: only the version differs.
version=$(dpkg-parsechangelog -S Version)
sed -i "1s/($version)/($version+1)/" debian/changelog
rm -f debian/files debian/*.substvars
fakeroot debian/rules binary
mv ../*.deb /srv/v2
rm -f /srv/v1/*-dbgsym_* /srv/v2/*-dbgsym_*
