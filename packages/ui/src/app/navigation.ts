import {
  Activity,
  Bot,
  CalendarClock,
  Gauge,
  Inbox,
  KeyRound,
  Layers,
  type LucideIcon,
  Paperclip,
  Puzzle,
  ScrollText,
  Workflow,
  Zap,
} from "lucide-react";

export type NavigationItem = {
  readonly to: string;
  readonly label: string;
  readonly icon: LucideIcon;
  /** Press g, then this. */
  readonly key: string;
  readonly section: "Run" | "Define" | "Operate";
};

/** What the sidebar and the command palette offer. A page appears here when it has a route in `router.tsx`. */
export const navigation: readonly NavigationItem[] = [
  { to: "/", label: "Overview", icon: Gauge, key: "o", section: "Run" },
  { to: "/executions", label: "Executions", icon: Activity, key: "e", section: "Run" },
  { to: "/jobs", label: "Background jobs", icon: Layers, key: "j", section: "Run" },
  { to: "/definitions", label: "Definitions", icon: Workflow, key: "d", section: "Define" },
  { to: "/task-definitions", label: "Task definitions", icon: Puzzle, key: "t", section: "Define" },
  { to: "/agents", label: "Agents", icon: Bot, key: "a", section: "Define" },
  { to: "/skills", label: "Skills", icon: ScrollText, key: "l", section: "Define" },
  { to: "/schedules", label: "Schedules", icon: CalendarClock, key: "s", section: "Define" },
  { to: "/event-handlers", label: "Event handlers", icon: Zap, key: "h", section: "Define" },
  { to: "/files", label: "Files", icon: Paperclip, key: "f", section: "Operate" },
  { to: "/secrets", label: "Secrets", icon: KeyRound, key: "k", section: "Operate" },
  { to: "/queues", label: "Queues and workers", icon: Inbox, key: "q", section: "Operate" },
];
