import { cpSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'electron-vite'
import type { Plugin } from 'vite'
import { pageStyle } from './src/main/session-page/page-style.ts'

/** Files that the main process reads beside its bundles. */
function copyBeside(files: Readonly<Record<string, string>>): Plugin {
  return {
    name: 'copy-beside',
    closeBundle() {
      for (const [from, to] of Object.entries(files)) cpSync(from, resolve('out/main', to), { recursive: true })
      writeFileSync(resolve('out/main/page.css'), pageStyle('src/main/session-page/page.css'))
    },
  }
}

/** Views have addresses of their own: what the page loads lies at the root, however deep the address. */
const rootedAddresses: Plugin = {
  name: 'rooted-addresses',
  transformIndexHtml: { order: 'post', handler: (html) => html.replaceAll('="./', '="/') },
}

export default defineConfig({
  main: {
    plugins: [
      copyBeside({
        'src/main/store/database/migrations': 'migrations',
        'src/main/team/store/migrations': 'team-migrations',
      }),
    ],
    build: {
      outDir: 'out/main',
      sourcemap: true,
      // Each thread loads these anew: as parts of a bundle they cost it a third of what their many files do.
      externalizeDeps: { exclude: ['zod', 'uuid', 'eventsource-parser', 'smol-toml'] },
      rollupOptions: {
        input: {
          index: 'src/main/index.ts',
          aspy: 'src/main/cli/aspy.ts',
          hook: 'src/main/cli/hook.ts',
          statusline: 'src/main/cli/statusline.ts',
          'recorder-thread': 'src/main/recorder/thread/thread.ts',
          'reader-thread': 'src/main/readers/thread/thread.ts',
          'importer-thread': 'src/main/transcripts/thread/thread.ts',
          'custom-thread': 'src/main/pipeline/custom/thread/thread.ts',
          'checkpoint-thread': 'src/main/store/database/checkpoint-thread/thread.ts',
          'guard-thread': 'src/main/guard/thread/thread.ts',
          'outbox-thread': 'src/main/sinks/thread/thread.ts',
          'watch-thread': 'src/main/file-watch/thread/thread.ts',
        },
        output: {
          format: 'es',
          entryFileNames: '[name].js',
          chunkFileNames: '[name]-[hash].js',
          // Each thread keeps the text of its code in memory, with two bytes per character if any is not Latin-1. Names
          // and lines stay, so that stack traces remain readable; the licences are in THIRD_PARTY_NOTICES.md.
          comments: false,
          minify: { compress: false, mangle: false, codegen: { removeWhitespace: false, asciiOnly: true } },
        },
      },
    },
  },
  preload: {
    // A sandboxed preload may require nothing but Electron, and must be CommonJS.
    build: {
      outDir: 'out/preload',
      externalizeDeps: false,
      rollupOptions: {
        input: { index: 'src/preload/index.ts' },
        output: { format: 'cjs', entryFileNames: '[name].cjs' },
      },
    },
  },
  renderer: {
    root: 'src/renderer',
    plugins: [react(), tailwindcss(), rootedAddresses],
    build: {
      outDir: 'out/renderer',
      rollupOptions: { input: { index: 'src/renderer/index.html' } },
    },
  },
})
