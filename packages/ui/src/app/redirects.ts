/** Paths that people have bookmarked from other web apps for this interface, and where the same thing is here. */
const moved: readonly (readonly [RegExp, (parts: readonly string[]) => string])[] = [
  [/^\/execution\/([^/]+)$/, ([id = ""]) => `/executions/${id}`],
  [/^\/executions\/([0-9a-f-]{36})\/.*$/, ([id = ""]) => `/executions/${id}`],
  [/^\/search\/(?:by-)?tasks$/, () => "/executions"],
  [/^\/workflowDefs?$/, () => "/definitions"],
  [/^\/workflowDefs?\/([^/]+)(?:\/([^/]+))?$/, ([name = ""]) => `/definitions/${name}`],
  [/^\/taskDefs?$/, () => "/task-definitions"],
  [/^\/taskDefs?\/([^/]+)$/, ([name = ""]) => `/task-definitions/${name}`],
  [/^\/taskQueue(?:\/([^/]+))?$/, () => "/queues"],
  [/^\/eventHandlerDefs?$/, () => "/event-handlers"],
  [/^\/eventHandlerDefs?\/([^/]+)$/, ([name = ""]) => `/event-handlers/${name}`],
  [/^\/(?:scheduler|schedulerDefs?|scheduleDefs?)$/, () => "/schedules"],
  [/^\/(?:scheduler|schedulerDefs?|scheduleDefs?)\/([^/]+)$/, ([name = ""]) => `/schedules/${name}`],
];

/** Where a path of another web app is found here; undefined when it is none. */
export function findMoved(pathname: string): string | undefined {
  for (const [pattern, toPath] of moved) {
    const match = pattern.exec(pathname);
    if (match !== null) return toPath(match.slice(1));
  }
  return undefined;
}
