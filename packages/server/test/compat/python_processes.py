"""Checks of TaskHandler with a process for each worker, which is how it works unless told otherwise."""

import os

from conductor.client.automator.task_handler import TaskHandler
from conductor.client.worker.worker_task import worker_task
from python_checks import check, configuration, defined, ended, equal, run_checks, simple, workflows


@worker_task(task_definition_name="py_in_process", poll_interval_millis=10)
def in_process(n: int) -> dict:
    return {"n": n, "pid": os.getpid()}


@check("runs a worker in a process of its own, and stops it")
def runs_and_stops():
    with TaskHandler(configuration=configuration, scan_for_annotated_workers=True) as handler:
        handler.start_processes()
        equal(handler.is_healthy(), True)
        id = workflows.start_workflow_by_name(defined(simple("py_in_process", "t", {"n": 3})), {})
        run = ended(id)
        (status,) = handler.get_worker_process_status()
        equal([run.status, run.output], ["COMPLETED", {"n": 3, "pid": status["pid"]}])
        handler.stop_processes()
        handler.join_processes()
        equal(handler.is_healthy(), False)


# The processes of the workers import this file too.
if __name__ == "__main__":
    os.environ["CONDUCTOR_WORKER_ISOLATION"] = "process"
    run_checks()
