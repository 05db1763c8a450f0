# shellcheck shell=sh
# Sourced by tests that look into a database, behind lib.sh.
#
#   query SQL [DB]                           its rows; fields are separated by |, unknown ones empty,
#                                            and the database is $PERFMON_DB or else the user's own
#   query_default DB [SEPARATOR [UNKNOWN]]   from now on it is another one ("": as above), or looks
#                                            otherwise

query_database='' query_separator='|' query_unknown=''

query()
{
	sqlite3 -separator "$query_separator" -nullvalue "$query_unknown" \
		"${2:-${query_database:-${PERFMON_DB:-$XDG_DATA_HOME/perfmon/perfmon.db}}}" "$1"
}

query_default()
{
	query_database=$1 query_separator=${2-|} query_unknown=${3-}
}
