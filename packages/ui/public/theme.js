// Runs before the first paint, so that a dark page does not flash white.
(() => {
  let theme = "system";
  try {
    theme = JSON.parse(localStorage.getItem("downbeat.preferences") ?? "{}").theme ?? "system";
  } catch {
    // Preferences that cannot be read are as good as none.
  }
  const isDark = theme === "dark" || (theme === "system" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.classList.toggle("dark", isDark);
})();
