import { createRootRoute, createRoute, createRouter, lazyRouteComponent, redirect } from "@tanstack/react-router";
import { readTextSearch } from "../lib/search-params.ts";
import { readAgentSearch } from "../pages/agent/search.ts";
import { readDefinitionSearch } from "../pages/definition/search.ts";
import { readDefinitionsSearch } from "../pages/definitions/search.ts";
import { readEventHandlerSearch } from "../pages/event-handler/search.ts";
import { readExecutionSearch } from "../pages/execution/search.ts";
import { readExecutionsSearch } from "../pages/executions/search.ts";
import { readSkillSearch } from "../pages/skill/search.ts";
import { NotFound } from "./not-found.tsx";
import { findMoved } from "./redirects.ts";
import { Shell } from "./shell.tsx";

const root = createRootRoute({
  component: Shell,
  notFoundComponent: NotFound,
  beforeLoad: ({ location }) => {
    const to = findMoved(location.pathname);
    if (to !== undefined) throw redirect({ to, replace: true });
  },
});

// A page is a folder in pages/ with its own chunk; what its URL may say is read by its `search.ts`.
const routes = [
  createRoute({
    getParentRoute: () => root,
    path: "/",
    component: lazyRouteComponent(() => import("../pages/overview/page.tsx"), "OverviewPage"),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/executions",
    validateSearch: readExecutionsSearch,
    component: lazyRouteComponent(() => import("../pages/executions/page.tsx"), "ExecutionsPage"),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/executions/$id",
    validateSearch: readExecutionSearch,
    component: lazyRouteComponent(() => import("../pages/execution/page.tsx"), "ExecutionPage"),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/jobs",
    component: lazyRouteComponent(() => import("../pages/jobs/page.tsx"), "JobsPage"),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/definitions",
    validateSearch: readDefinitionsSearch,
    component: lazyRouteComponent(() => import("../pages/definitions/page.tsx"), "DefinitionsPage"),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/definitions/$name",
    validateSearch: readDefinitionSearch,
    component: lazyRouteComponent(() => import("../pages/definition/page.tsx"), "DefinitionPage"),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/new-definition",
    component: lazyRouteComponent(() => import("../pages/new-definition/page.tsx"), "NewDefinitionPage"),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/task-definitions",
    validateSearch: readTextSearch,
    component: lazyRouteComponent(() => import("../pages/task-definitions/page.tsx"), "TaskDefinitionsPage"),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/task-definitions/$name",
    component: lazyRouteComponent(() => import("../pages/task-definition/page.tsx"), "TaskDefinitionPage"),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/queues",
    validateSearch: readTextSearch,
    component: lazyRouteComponent(() => import("../pages/queues/page.tsx"), "QueuesPage"),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/schedules",
    validateSearch: readTextSearch,
    component: lazyRouteComponent(() => import("../pages/schedules/page.tsx"), "SchedulesPage"),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/schedules/$name",
    component: lazyRouteComponent(() => import("../pages/schedule/page.tsx"), "SchedulePage"),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/event-handlers",
    validateSearch: readTextSearch,
    component: lazyRouteComponent(() => import("../pages/event-handlers/page.tsx"), "EventHandlersPage"),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/event-handlers/$name",
    validateSearch: readEventHandlerSearch,
    component: lazyRouteComponent(() => import("../pages/event-handler/page.tsx"), "EventHandlerPage"),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/agents",
    validateSearch: readTextSearch,
    component: lazyRouteComponent(() => import("../pages/agents/page.tsx"), "AgentsPage"),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/agents/$name",
    validateSearch: readAgentSearch,
    component: lazyRouteComponent(() => import("../pages/agent/page.tsx"), "AgentPage"),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/agents/runs/$id",
    component: lazyRouteComponent(() => import("../pages/agent-run/page.tsx"), "AgentRunPage"),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/files",
    validateSearch: readTextSearch,
    component: lazyRouteComponent(() => import("../pages/files/page.tsx"), "FilesPage"),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/skills",
    validateSearch: readTextSearch,
    component: lazyRouteComponent(() => import("../pages/skills/page.tsx"), "SkillsPage"),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/skills/$name",
    validateSearch: readSkillSearch,
    component: lazyRouteComponent(() => import("../pages/skill/page.tsx"), "SkillPage"),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/secrets",
    validateSearch: readTextSearch,
    component: lazyRouteComponent(() => import("../pages/secrets/page.tsx"), "SecretsPage"),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/new-agent",
    component: lazyRouteComponent(() => import("../pages/new-agent/page.tsx"), "NewAgentPage"),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/new-task-definition",
    component: lazyRouteComponent(() => import("../pages/new-task-definition/page.tsx"), "NewTaskDefinitionPage"),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/new-event-handler",
    component: lazyRouteComponent(() => import("../pages/new-event-handler/page.tsx"), "NewEventHandlerPage"),
  }),
];

export const router = createRouter({
  routeTree: root.addChildren(routes),
  defaultPreload: "intent",
  scrollRestoration: true,
});
