import { Clock, Monitor, Moon, Settings2, Sun } from "lucide-react";
import { IconButton } from "../components/button.tsx";
import { Menu, MenuCheck, MenuLabel, MenuSeparator } from "../components/menu.tsx";
import { setPreferences, usePreferences } from "./preferences.ts";

const themes = [
  { theme: "system", label: "As the system", icon: Monitor },
  { theme: "light", label: "Light", icon: Sun },
  { theme: "dark", label: "Dark", icon: Moon },
] as const;

/** Zones people ask for; the browser's own and UTC come first. */
const zones = [
  "UTC",
  "America/Los_Angeles",
  "America/New_York",
  "America/Sao_Paulo",
  "Europe/London",
  "Europe/Berlin",
  "Africa/Lagos",
  "Asia/Kolkata",
  "Asia/Shanghai",
  "Asia/Tokyo",
  "Australia/Sydney",
];

export function PreferencesMenu() {
  const { theme, timeZone } = usePreferences();
  const local = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return (
    <Menu
      align="start"
      trigger={
        <IconButton label="Theme and time zone">
          <Settings2 />
        </IconButton>
      }
    >
      <MenuLabel>Theme</MenuLabel>
      {themes.map(({ theme: name, label, icon: Icon }) => (
        <MenuCheck key={name} isChecked={theme === name} onChange={() => setPreferences({ theme: name })}>
          {label} <Icon className="ml-auto text-faint" />
        </MenuCheck>
      ))}
      <MenuSeparator />
      <MenuLabel>Time zone</MenuLabel>
      {["local", ...zones].map((zone) => (
        <MenuCheck key={zone} isChecked={timeZone === zone} onChange={() => setPreferences({ timeZone: zone })}>
          {zone === "local" ? `This browser's (${local})` : zone.replaceAll("_", " ")}
          {zone === "local" && <Clock className="ml-auto text-faint" />}
        </MenuCheck>
      ))}
    </Menu>
  );
}
