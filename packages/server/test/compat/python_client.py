"""Drives a server with the official Python client and prints what it saw, as one JSON object.

Usage: python_client.py <base URL ending in /api>
"""

import json
import os
import sys
import time

from conductor.client.automator.task_handler import TaskHandler
from conductor.client.configuration.configuration import Configuration
from conductor.client.http.models.rerun_workflow_request import RerunWorkflowRequest
from conductor.client.http.models.skip_task_request import SkipTaskRequest
from conductor.client.http.models.start_workflow_request import StartWorkflowRequest
from conductor.client.http.models.task_def import TaskDef
from conductor.client.http.models.task_result import TaskResult
from conductor.client.http.models.task_result_status import TaskResultStatus
from conductor.client.http.models.workflow_def import WorkflowDef
from conductor.client.http.models.workflow_task import WorkflowTask
from conductor.client.http.rest import ApiException
from conductor.client.configuration.settings.authentication_settings import AuthenticationSettings
from conductor.client.orkes_clients import OrkesClients
from conductor.client.worker.worker_task import worker_task

DEADLINE_SECONDS = 20


@worker_task(task_definition_name="py_greet", poll_interval_millis=20)
def greet(name: str) -> dict:
    return {"text": f"Hello {name}"}


@worker_task(task_definition_name="py_shout", poll_interval_millis=20)
def shout(text: str) -> dict:
    return {"text": text.upper()}


def simple(name: str, ref: str, inputs: dict = {}) -> WorkflowTask:
    return WorkflowTask(name=name, task_reference_name=ref, type="SIMPLE", input_parameters=inputs)


def main(url: str) -> dict:
    # Credentials make the client ask for a token; an open server answers 404 and the client goes on without.
    configuration = Configuration(
        server_api_url=url, authentication_settings=AuthenticationSettings(key_id="id", key_secret="secret")
    )
    clients = OrkesClients(configuration)
    return {
        "definitions": definitions(clients),
        "workers": workers(clients, configuration),
        "operations": operations(clients),
        "tasks": tasks(clients),
    }


def definitions(clients: OrkesClients) -> dict:
    metadata = clients.get_metadata_client()
    metadata.register_task_def(TaskDef(name="py_def", retry_count=2, response_timeout_seconds=30, timeout_seconds=60))
    metadata.update_task_def(TaskDef(name="py_def", retry_count=4, response_timeout_seconds=30, timeout_seconds=60))
    metadata.register_workflow_def(WorkflowDef(name="py_wf", version=1, tasks=[simple("py_def", "t")]))
    metadata.register_workflow_def(WorkflowDef(name="py_wf", version=2, tasks=[simple("py_def", "t")]))
    seen = {
        "retryCount": metadata.get_task_def("py_def").retry_count,
        "latest": metadata.get_workflow_def("py_wf").version,
        "names": sorted({workflow.name for workflow in metadata.get_all_workflow_defs()}),
        "taskNames": [task.name for task in metadata.get_all_task_defs()],
    }
    metadata.unregister_workflow_def("py_wf", 2)
    seen["afterDelete"] = metadata.get_workflow_def("py_wf").version
    metadata.unregister_task_def("py_def")
    try:
        metadata.get_workflow_def("py_nobody")
    except ApiException as error:
        seen["missing"] = [error.status, json.loads(error.body)["message"]]
    return seen


def workers(clients: OrkesClients, configuration: Configuration) -> dict:
    definition = WorkflowDef(
        name="py_run",
        version=1,
        tasks=[
            simple("py_greet", "greet", {"name": "${workflow.input.name}"}),
            simple("py_shout", "shout", {"text": "${greet.output.text}"}),
        ],
        output_parameters={"result": "${shout.output.text}"},
    )
    clients.get_metadata_client().register_workflow_def(definition)
    workflows = clients.get_workflow_client()
    with TaskHandler(configuration=configuration, scan_for_annotated_workers=True) as handler:
        handler.start_processes()
        ids = [
            workflows.start_workflow(StartWorkflowRequest(name="py_run", version=1, input={"name": f"you {n}"}))
            for n in range(10)
        ]
        ended = [wait_for_end(workflows, id) for id in ids]
    return {"statuses": [run.status for run in ended], "results": [run.output["result"] for run in ended]}


def operations(clients: OrkesClients) -> dict:
    workflows = clients.get_workflow_client()
    metadata = clients.get_metadata_client()
    metadata.register_task_def(TaskDef(name="py_op", retry_count=0))
    metadata.register_workflow_def(WorkflowDef(name="py_op", version=1, tasks=[simple("py_op", "a"), simple("py_op", "b")]))
    id = workflows.start_workflow_by_name("py_op", {"k": 1}, version=1, correlationId="corr", priority=3)
    seen = []
    note = lambda: seen.append(workflows.get_workflow(id, include_tasks=False).status)
    workflows.pause_workflow(id)
    note()
    workflows.resume_workflow(id)
    note()
    workflows.skip_task_from_workflow(id, "b", SkipTaskRequest(task_output={"skipped": True}))
    task_client = clients.get_task_client()
    task_client.update_task_by_ref_name(id, "a", "FAILED", {"why": "test"})
    note()
    workflows.retry_workflow(id)
    note()
    task_client.update_task_by_ref_name(id, "a", "COMPLETED", {"ok": True})
    note()
    workflows.restart_workflow(id)
    note()
    workflows.terminate_workflow(id, "enough")
    note()
    reran = workflows.rerun_workflow(id, RerunWorkflowRequest(workflow_input={"k": 2}))
    note()
    status = workflows.get_workflow_status(id, include_output=True, include_variables=True)
    workflows.terminate_workflow(id, "enough")
    workflows.delete_workflow(id)
    try:
        workflows.get_workflow(id)
    except ApiException as error:
        seen.append(error.status)
    return {"statuses": seen, "reran": reran == id, "correlationId": status.correlation_id}


def tasks(clients: OrkesClients) -> dict:
    client = clients.get_task_client()
    workflows = clients.get_workflow_client()
    clients.get_metadata_client().register_workflow_def(
        WorkflowDef(name="py_poll", version=1, tasks=[simple("py_poll", "t", {"n": "${workflow.input.n}"})])
    )
    nothing = client.poll_task("py_poll")
    ids = [workflows.start_workflow_by_name("py_poll", {"n": n}) for n in range(3)]
    first = client.poll_task("py_poll", worker_id="py")
    client.add_task_log(first.task_id, "one line")
    batch = client.batch_poll_tasks("py_poll", worker_id="py", count=5, timeout_in_millisecond=100)
    for task in [first, *batch]:
        result = TaskResult(
            workflow_instance_id=task.workflow_instance_id,
            task_id=task.task_id,
            worker_id="py",
            status=TaskResultStatus.COMPLETED,
        )
        result.output_data = {"n": task.input_data["n"]}
        client.update_task(result)
    return {
        # The client makes an empty task of an answer without a body.
        "nothing": nothing.task_id is None,
        "polled": 1 + len(batch),
        "log": [entry.log for entry in client.get_task_logs(first.task_id)],
        "worker": client.get_task(first.task_id).worker_id,
        "pollData": [entry.worker_id for entry in client.get_task_poll_data("py_poll")],
        "outputs": sorted(wait_for_end(workflows, id).output["n"] for id in ids),
    }


def wait_for_end(workflows, id: str):
    until = time.monotonic() + DEADLINE_SECONDS
    while time.monotonic() < until:
        run = workflows.get_workflow(id, include_tasks=True)
        if run.status != "RUNNING":
            return run
        time.sleep(0.02)
    raise TimeoutError(f"Expected {id} to end within {DEADLINE_SECONDS} s")


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1])), flush=True)
    # Workers that run as threads do not end with their handler.
    os._exit(0)
