/* Columns of the tables of models and analyses; tables.c alone includes it. */
#ifndef PM_SQL_MODELCOLUMNS_H
#define PM_SQL_MODELCOLUMNS_H

#include "sql/column.h"

#define OF_MODEL "FOREIGN KEY (model) REFERENCES model (name) ON DELETE CASCADE"

/* The last of table job. */
static const struct pm_schema_column job_analysis_columns[] = {
	USEC("analyzed_us",
	     "when perfmon analyze judged the job; NULL: not since it was last loaded"),
};

static const struct pm_schema_column model_columns[] = {
	NAME("name", "name of the model"),
	KEY("enabled", "1: perfmon analyze judges jobs by it; 0: not"),
	USEC("created_us", "when it was made"),
	TEXT("created_by", "login name of the user who made it"),
	KEY("jobs", "number of jobs that it was made of"),
	TEXT("job_group", "what makes its jobs comparable, as JSON: [name] or [exp_name, "
			  "exp_component]; NULL: they are not"),
	TEXT("tags", "tags that all its jobs have, as JSON; of a model of EPMT's, its tag"),
	NAME("methods", "methods that judge by it, of iqr, madz and z, with commas between"),
};

static const struct pm_schema_column model_job_columns[] = {
	KEY("job_id", "the job"),
	NAME("model", "the model"),
};

static const struct pm_schema_column model_feature_columns[] = {
	NAME("model", "the model"),
	NAME("operation", "tags of the processes of an operation, as JSON; empty: of the jobs as a "
			  "whole"),
	NAME("feature", "column of table job; or a principal component, such as pca_01"),
	NAME("method", "iqr, madz or z"),
	KEY("known", "number of jobs whose value is known"),
	REAL("share", "share of the variance that a component explains; NULL of columns"),
	REAL("least", "the least value"),
	REAL("greatest", "the greatest value"),
	REAL("low",
	     "iqr: the pseudo-quartile (3 greatest + 5 least) / 8, below which 1.5 ranges lead "
	     "to the least"),
	REAL("high", "iqr: the pseudo-quartile (5 greatest + 3 least) / 8"),
	REAL("score", "madz, z: the largest score of a value"),
	REAL("centre", "madz: the median; z: the mean"),
	REAL("spread",
	     "madz: the median of the distances from the median, or their mean where that is "
	     "0; z: the standard deviation of the population"),
};

static const struct pm_schema_column model_component_columns[] = {
	NAME("model", "the model"),
	KEY("component", "number of the component, from 1"),
	NAME("feature", "column of table job"),
	REAL("centre", "mean of the column"),
	REAL("deviation", "its standard deviation"),
	REAL("loading", "factor of the standardized value in the component"),
};

static const struct pm_schema_column analysis_columns[] = {
	KEY("job_id", "the job"),
	NAME("name", "name of the analysis: outliers, or that of EPMT"),
	NAME("model", "the model by which the job was judged; empty: its peers, or nothing"),
	USEC("analyzed_us", "when"),
	INT("found", "number of figures by which the job stands out; NULL: it could not be judged"),
	TEXT("result", "the result, as JSON"),
	USEC("told_us", "when perfmon analyze said it; NULL: not yet, or nothing was found"),
};

#endif
