"""Vowpal Wabbit with the arguments of its command line; the wheel has no `vw` binary, only the library."""

import sys

import vowpalwabbit
from clock import clocked


def work():
    workspace = vowpalwabbit.Workspace(arg_list=sys.argv[1:])
    workspace.finish()


clocked(work)
