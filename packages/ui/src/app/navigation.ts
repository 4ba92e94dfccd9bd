import { Activity, Gauge, Layers, type LucideIcon } from "lucide-react";

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
];
