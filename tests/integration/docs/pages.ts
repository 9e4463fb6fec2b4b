import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export const ROOT = join(import.meta.dirname, '../../..')

/** A page of the documentation: its path from the root, and its text. */
export interface Page {
  readonly path: string
  readonly text: string
}

/** Every page that people read, the ones at the root first. */
export const PAGES: readonly Page[] = ['*.md', 'docs/**/*.md']
  .flatMap((pattern) => globSync(pattern, { cwd: ROOT }).toSorted())
  .map((path) => ({ path: path.replaceAll('\\', '/'), text: readFileSync(join(ROOT, path), 'utf8') }))

const FENCE = /^( *)```(\w*)\n([^]*?)^\1```$/gm

/** The fenced blocks of a language, without their fences. */
export function codeBlocks(text: string, language: string): string[] {
  return [...text.matchAll(FENCE)].filter(([, , named]) => named === language).map(([, , , code = '']) => code)
}

/** The text without its fenced blocks; lines keep their numbers. */
export function withoutCode(text: string): string {
  return text.replaceAll(FENCE, (block) => block.replaceAll(/[^\n]+/g, ''))
}

/** The anchors of a page's headings, as GitHub makes them. */
export function anchorsOf(text: string): Set<string> {
  const headings = withoutCode(text).matchAll(/^#+ (.+)$/gm)
  return new Set(
    [...headings].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  )
}
