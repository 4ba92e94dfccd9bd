"""What the Python checks share: the official clients, and a line of JSON for each check.

A script of checks is run as: python_<what>.py <base URL ending in /api>
"""

import json
import os
import sys
import time
import traceback

from conductor.client.configuration.configuration import Configuration
from conductor.client.http.models.task_def import TaskDef
from conductor.client.http.models.workflow_def import WorkflowDef
from conductor.client.http.models.workflow_task import WorkflowTask
from conductor.client.http.rest import ApiException
from conductor.client.orkes_clients import OrkesClients

DEADLINE_SECONDS = 20

configuration = Configuration(server_api_url=sys.argv[1])
clients = OrkesClients(configuration)
metadata = clients.get_metadata_client()
workflows = clients.get_workflow_client()

_checks = []
_names_given = 0


def check(name: str):
    """Marks a function as a check; the test suite shows it by this name."""

    def add(function):
        _checks.append((name, function))
        return function

    return add


def run_checks() -> None:
    for name, function in _checks:
        try:
            function()
            error = None
        except Exception:
            error = traceback.format_exc()
        print(json.dumps({"name": name, "error": error}), flush=True)
    # Workers that run as threads do not end with their handler.
    os._exit(0)


def equal(actual, expected) -> None:
    if actual != expected:
        raise AssertionError(f"Expected {expected!r}, got {actual!r}")


def refused(call) -> list:
    """The status and the message a call is refused with."""
    try:
        call()
    except ApiException as error:
        return [error.status, json.loads(error.body)["message"]]
    raise AssertionError("Expected the call to be refused")


def eventually(look):
    """The first answer of look that is something."""
    until = time.monotonic() + DEADLINE_SECONDS
    while time.monotonic() < until:
        found = look()
        if found:
            return found
        time.sleep(0.01)
    raise TimeoutError(f"Expected it within {DEADLINE_SECONDS} s")


def ended(workflow_id: str):
    def look():
        run = workflows.get_workflow(workflow_id, include_tasks=True)
        return None if run.status == "RUNNING" else run

    return eventually(look)


def a_name(stem: str) -> str:
    global _names_given
    _names_given += 1
    return f"py_{stem}_{os.getpid()}_{_names_given}"


def simple(name: str, ref: str, inputs: dict = {}) -> WorkflowTask:
    return WorkflowTask(name=name, task_reference_name=ref, type="SIMPLE", input_parameters=inputs)


def entry(type: str, ref: str, inputs: dict = {}, **more) -> WorkflowTask:
    return WorkflowTask(name=ref, task_reference_name=ref, type=type, input_parameters=inputs, **more)


def defined(*tasks: WorkflowTask, **more) -> str:
    """Registers a definition that no other check uses; gives its name."""
    name = a_name("wf")
    metadata.register_workflow_def(WorkflowDef(name=name, version=1, tasks=list(tasks), **more))
    return name


def a_task_type(**more) -> str:
    """Registers a task definition that fails for good at the first failure, unless told otherwise."""
    name = a_name("task")
    metadata.register_task_def(TaskDef(name=name, **{"retry_count": 0, **more}))
    return name


def started(*tasks: WorkflowTask, **more) -> str:
    return workflows.start_workflow_by_name(defined(*tasks, **more), {})


def status_of(workflow_id: str) -> str:
    return workflows.get_workflow(workflow_id, include_tasks=False).status


def refs(run) -> list:
    return [[task.reference_task_name, task.status] for task in run.tasks]
