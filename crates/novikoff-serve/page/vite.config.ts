// Four files with fixed names: what the server embeds, and what its content security policy allows (nothing inline).

import { defineConfig } from "vite";

export default defineConfig({
  publicDir: "public",
  build: {
    outDir: "dist",
    emptyOutDir: true,
    target: "es2022",
    assetsInlineLimit: 0,
    modulePreload: false,
    license: { fileName: "licenses.md" },
    rolldownOptions: {
      output: {
        entryFileNames: "page.js",
        assetFileNames: "page[extname]",
      },
    },
  },
  // `npm run dev` beside a server on its default address
  server: { proxy: { "/v1": { target: "http://127.0.0.1:8610", changeOrigin: true } } },
});
