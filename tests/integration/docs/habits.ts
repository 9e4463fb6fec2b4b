import { globSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './pages.ts'

/** A phrase of ours that no native writer would choose, and what to write. */
interface Habit {
  readonly pattern: RegExp
  readonly instead: string
}

/** Short on purpose: only what is nearly always wrong. */
export const HABITS: readonly Habit[] = [
  { pattern: /\banew\b/i, instead: 'again, or rebuild, restart, rewrite' },
  { pattern: /\bdearest\b/i, instead: 'most expensive' },
  { pattern: /\blately\b/i, instead: 'recently' },
  { pattern: /\bwhence\b/i, instead: 'where … from, or source' },
  { pattern: /\bby itself,/i, instead: 'automatically, alone' },
  { pattern: /\bstands? (?:in|for|beside|under|there)\b/i, instead: 'is in, means, is next to' },
  { pattern: /\blies? (?:in|beside|there)\b/i, instead: 'is in, is beside' },
  { pattern: /(?<!\bthere )\bis no (?!longer\b|more\b|less\b|match\b)[a-z]+/i, instead: 'is not a' },
  { pattern: /\b(?:is|was|are|were|be|been) told\b/i, instead: 'is reported, receives, knows' },
  {
    pattern: /(?:^|[.;:*] )Who (?!am\b|is\b|are\b)[a-z]+s\b(?![^.]*\?)/m,
    instead: 'If somebody …, or a caller that …',
  },
  { pattern: /\bOf the ones?\b/, instead: 'a sentence with a subject and a verb' },
  { pattern: /\bwords for (?:it|them)\b/i, instead: 'a name, a message' },
  { pattern: /\bis asked (?:anew|any more)\b/i, instead: 'runs again, is no longer called' },
  { pattern: /\bwants no word of\b/i, instead: 'must not see' },
]

/** All pages, and all sources. */
export const CHECKED: readonly string[] = [
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'SECURITY.md',
  'docs',
  'bin/aspy',
  'resources',
  'scripts',
  'src/main',
  'src/preload',
  'src/renderer',
  'src/shared',
  'tests',
]

/** Files that must contain the phrases, or are not ours to word. */
const EXEMPT = /^tests\/integration\/docs\/habits(?:\.test)?\.ts$|\/fixtures\/|^tests\/bench\/recall-/

/** The files below a path, or the path itself if it is a file. */
export function filesBelow(path: string): string[] {
  if (statSync(join(ROOT, path)).isFile()) return [path]
  return globSync(`${path}/**/*.{md,ts,tsx,mjs,cjs,js,sql,html}`, { cwd: ROOT })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => !EXEMPT.test(file) && !file.includes('node_modules/'))
    .toSorted()
}

/** The text as a reader sees it: code of pages left out, comments that span lines joined. */
function prose(path: string, text: string): string {
  if (path.endsWith('.md')) return text.replaceAll(/^```[^]*?^```$/gm, '').replaceAll(/`[^`\n]*`/g, '`')
  return text.replaceAll(/\n[ \t]*(?:\*|\/\/|--)(?!\/) ?/g, ' ')
}

/** The habits in a text, each with what to write instead. */
export function habitsIn(path: string, text: string): string[] {
  const read = prose(path, text)
  return HABITS.flatMap(({ pattern, instead }) =>
    [...read.matchAll(new RegExp(pattern, `${pattern.flags}g`))].map(([found]) => `${path}: "${found}" → ${instead}`),
  )
}

/** The habits in all files below a path. */
export function habitsBelow(path: string): string[] {
  return filesBelow(path).flatMap((file) => habitsIn(file, readFileSync(join(ROOT, file), 'utf8')))
}
