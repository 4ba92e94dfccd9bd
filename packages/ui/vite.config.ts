import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), tailwindcss()],
  build: { target: "es2023", sourcemap: false, chunkSizeWarningLimit: 1000 },
  server: {
    // `npm run dev -w packages/ui` beside a server on its usual port.
    proxy: { "/api": "http://127.0.0.1:8080", "/api-docs": "http://127.0.0.1:8080" },
  },
});
