"""Checks of OrkesTaskClient."""

from conductor.client.http.models.start_workflow_request import StartWorkflowRequest
from conductor.client.http.models.task_result import TaskResult
from conductor.client.http.models.task_result_status import TaskResultStatus
from python_checks import (
    a_name,
    check,
    clients,
    defined,
    ended,
    entry,
    equal,
    refs,
    run_checks,
    simple,
    started,
    workflows,
)

tasks = clients.get_task_client()


@check("polls one task and many, and updates them")
def polls():
    task_type = a_name("poll")
    name = defined(simple(task_type, "t", {"n": "${workflow.input.n}"}))
    # The client makes an empty task of an answer without a body.
    equal(tasks.poll_task(task_type).task_id, None)
    ids = [workflows.start_workflow_by_name(name, {"n": n}) for n in range(3)]
    equal(tasks.get_queue_size_for_task(task_type), 3)
    first = tasks.poll_task(task_type, worker_id="py")
    rest = tasks.batch_poll_tasks(task_type, worker_id="py", count=5, timeout_in_millisecond=100)
    equal([task.input_data["n"] for task in [first, *rest]], [0, 1, 2])
    for task in [first, *rest]:
        result = TaskResult(
            workflow_instance_id=task.workflow_instance_id,
            task_id=task.task_id,
            worker_id="py",
            status=TaskResultStatus.COMPLETED,
        )
        result.output_data = {"n": task.input_data["n"]}
        equal(tasks.update_task(result), task.task_id)
    equal([ended(id).output["n"] for id in ids], [0, 1, 2])
    equal(tasks.get_queue_size_for_task(task_type), 0)


@check("polls in a domain")
def domains():
    task_type = a_name("domain")
    name = defined(simple(task_type, "t"))
    id = workflows.start_workflow(StartWorkflowRequest(name=name, task_to_domain={task_type: "blue"}))
    equal(tasks.poll_task(task_type).task_id, None)
    found = tasks.poll_task(task_type, worker_id="py", domain="blue")
    equal([found.workflow_instance_id, found.domain], [id, "blue"])


@check("reads a task, writes and reads its logs, and sees who polls")
def logs():
    task_type = a_name("log")
    started(simple(task_type, "t"))
    task_id = tasks.poll_task(task_type, worker_id="watcher").task_id
    tasks.add_task_log(task_id, "one line")
    tasks.add_task_log(task_id, "another")
    equal([line.log for line in tasks.get_task_logs(task_id)], ["one line", "another"])
    found = tasks.get_task(task_id)
    equal([found.worker_id, found.status, found.task_def_name], ["watcher", "IN_PROGRESS", task_type])
    equal([[data.queue_name, data.worker_id] for data in tasks.get_task_poll_data(task_type)], [[task_type, "watcher"]])


@check("completes a waiting task by its reference name")
def by_reference():
    id = started(entry("WAIT", "w"))
    tasks.update_task_by_ref_name(id, "w", "COMPLETED", {"answer": 42})
    # The client sends the output inside a map of its own.
    run = ended(id)
    equal([run.status, run.output], ["COMPLETED", {"result": {"answer": 42}}])


@check("completes a task and is given the execution after it")
def by_reference_and_answer():
    id = started(entry("WAIT", "w"), entry("WAIT", "x"))
    run = tasks.update_task_sync(id, "w", "COMPLETED", {"answer": 42})
    equal([run.workflow_id, run.status, refs(run)], [id, "RUNNING", [["w", "COMPLETED"], ["x", "IN_PROGRESS"]]])
    equal(run.tasks[0].output_data, {"answer": 42})


run_checks()
