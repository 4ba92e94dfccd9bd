"""Checks of TaskHandler, the worker decorator and TaskContext. Workers run as threads, as the environment asks."""

import asyncio
import time
from typing import Union

from conductor.client.automator.lease_tracker import LeaseManager
from conductor.client.automator.task_handler import TaskHandler
from conductor.client.context.task_context import TaskContext, TaskInProgress, get_task_context
from conductor.client.http.models.start_workflow_request import StartWorkflowRequest
from conductor.client.http.models.task_def import TaskDef
from conductor.client.worker.exception import NonRetryableException
from conductor.client.worker.worker import Worker
from conductor.client.worker.worker_task import worker_task
from python_checks import (
    check,
    clients,
    configuration,
    defined,
    ended,
    equal,
    metadata,
    run_checks,
    simple,
    workflows,
)

POLL_MS = 10
seen = []


def task_logs(run) -> list:
    return [line.log for line in clients.get_task_client().get_task_logs(run.tasks[-1].task_id)]


@worker_task(task_definition_name="py_greet", poll_interval_millis=POLL_MS, thread_count=5)
def greet(name: str) -> dict:
    return {"text": f"Hello {name}"}


@worker_task(task_definition_name="py_shout", poll_interval_millis=POLL_MS, thread_count=5)
async def shout(text: str) -> dict:
    await asyncio.sleep(0)
    return {"text": text.upper()}


@worker_task(task_definition_name="py_domain", poll_interval_millis=POLL_MS, domain="blue")
def in_domain() -> dict:
    return {"domain": get_task_context().task.domain}


@worker_task(task_definition_name="py_fails", poll_interval_millis=POLL_MS)
def fails() -> dict:
    if get_task_context().get_retry_count() == 0:
        raise ValueError("first time")
    raise NonRetryableException("for good")


@worker_task(task_definition_name="py_later", poll_interval_millis=POLL_MS)
def later() -> Union[dict, TaskInProgress]:
    polls = get_task_context().get_poll_count()
    return TaskInProgress(callback_after_seconds=1, output={"step": polls}) if polls < 2 else {"polls": polls}


@worker_task(task_definition_name="py_context", poll_interval_millis=POLL_MS)
def with_context(n: int) -> dict:
    context = TaskContext.get()
    context.add_log(f"poll {context.get_poll_count()}")
    context.set_output({"from_context": n})
    context.set_callback_after(7)
    seen.append(
        [
            context.get_task_id() == context.task.task_id == context.task_result.task_id,
            context.get_workflow_instance_id(),
            context.get_retry_count(),
            context.get_poll_count(),
            context.get_input(),
            context.get_task_def_name(),
            context.get_callback_after_seconds(),
        ]
    )
    return {"n": n}


@worker_task(task_definition_name="py_long", poll_interval_millis=POLL_MS, lease_extend_enabled=True)
def takes_long() -> dict:
    seen.append("long")
    # What the check is about: longer than the response timeout.
    time.sleep(3.8)
    return {"done": True}


@worker_task(
    task_definition_name="py_registered",
    poll_interval_millis=POLL_MS,
    register_task_def=True,
    task_def=TaskDef(name="py_registered", retry_count=7),
)
def registered() -> dict:
    return {"registered": True}


by_hand = Worker(
    task_definition_name="py_by_hand",
    execute_function=lambda task: {"n": task.input_data["n"]},
    poll_interval=POLL_MS,
)
metadata.register_task_def(TaskDef(name="py_fails", retry_count=5, retry_delay_seconds=0))
metadata.register_task_def(TaskDef(name="py_long", retry_count=0, response_timeout_seconds=3))
# It looks once a second unless told otherwise, which would make the heartbeats of a short timeout late.
LeaseManager.get_instance(check_interval=0.1)
handler = TaskHandler(workers=[by_hand], configuration=configuration, scan_for_annotated_workers=True)
handler.start_processes()


def outcome(*tasks, input: dict = {}, **more):
    return ended(workflows.start_workflow_by_name(defined(*tasks, **more), input))


@check("runs workflows with synchronous and asynchronous workers to the end")
def runs():
    name = defined(
        simple("py_greet", "greet", {"name": "${workflow.input.name}"}),
        simple("py_shout", "shout", {"text": "${greet.output.text}"}),
        output_parameters={"result": "${shout.output.text}"},
    )
    ids = [workflows.start_workflow_by_name(name, {"name": f"you {n}"}) for n in range(10)]
    equal([ended(id).output["result"] for id in ids], [f"HELLO YOU {n}" for n in range(10)])


@check("runs a worker that is handed to the handler")
def handed_over():
    run = outcome(simple("py_by_hand", "t", {"n": "${workflow.input.n}"}), input={"n": 4})
    equal([run.status, run.output], ["COMPLETED", {"n": 4}])


@check("tells how the workers are")
def health():
    equal(handler.is_healthy(), True)
    statuses = handler.get_worker_process_status()
    equal("py_greet" in [status["worker"] for status in statuses], True)
    equal(all(status["alive"] for status in statuses), True)


@check("polls in a domain")
def domains():
    name = defined(simple("py_domain", "t"))
    id = workflows.start_workflow(StartWorkflowRequest(name=name, task_to_domain={"py_domain": "blue"}))
    equal(ended(id).output, {"domain": "blue"})


@check("has a worker's exception retried, and a non-retryable one not")
def exceptions():
    run = outcome(simple("py_fails", "t"))
    equal(run.status, "FAILED")
    reasons = [[task.status, task.reason_for_incompletion] for task in run.tasks]
    equal(reasons, [["FAILED", "first time"], ["FAILED_WITH_TERMINAL_ERROR", "for good"]])


@check("lets a worker come back to its task later")
def comes_back():
    run = outcome(simple("py_later", "t"))
    equal([run.status, run.output["polls"]], ["COMPLETED", 2])


@check("gives a worker the context of its task, and takes its logs")
def context():
    seen.clear()
    run = outcome(simple("py_context", "t", {"n": 1}))
    expected = [True, run.workflow_id, 0, 1, {"n": 1}, "py_context", 7]
    equal([run.status, run.output["n"], seen], ["COMPLETED", 1, [expected]])
    equal(task_logs(run), ["poll 1"])


@check("keeps a task that takes longer than its response timeout, with heartbeats")
def heartbeats():
    seen.clear()
    run = outcome(simple("py_long", "t"))
    equal([run.status, run.output, seen], ["COMPLETED", {"done": True}, ["long"]])


@check("registers the task definition of a worker that asks for it")
def registers():
    equal(outcome(simple("py_registered", "t")).output, {"registered": True})
    equal(metadata.get_task_def("py_registered").retry_count, 7)


run_checks()
