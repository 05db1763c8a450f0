/* The page of a job: one script, made of the files that `order` lists, in that order. */
(() => {
"use strict";
