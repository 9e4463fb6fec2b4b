import type { Json, JsonObject } from './json.ts'
import { objectOf, stringOf } from './json-fields.ts'

/** The files of a patch in Codex's own format (`*** Begin Patch`), each in the form of a client's structured patch. */
const FILE = /^\*\*\* (Add|Update|Delete) File: (.+)$/
const MOVE = /^\*\*\* Move to: (.+)$/
/** Lines between two `@@`, each perhaps with a line that comes somewhere before them. */
const HUNK = /^@@(?: (.*))?$/
const BEGIN = '*** Begin Patch'
const MAX_LINES = 20_000

interface Hunk {
  readonly oldStart: null
  readonly newStart: null
  readonly lines: string[]
  under?: readonly string[]
}

interface PatchedFile {
  filePath: string
  readonly change: string
  readonly structuredPatch: Hunk[]
}

/** Returns the text of a call's patch, in any field; null if it has none. */
export function patchIn(input: Json): string | null {
  const { input: text, patch, diff } = objectOf(input)
  const found = [input, text, patch, diff].find((value) => stringOf(value)?.includes(BEGIN) === true)
  return stringOf(found)
}

/**
 * Returns the patch that a command line applies, as Codex does in a shell: `apply_patch <<'EOF'`, or `apply_patch` with the
 * patch as its argument; null if it applies none.
 */
export function patchOfCommand(command: string): string | null {
  const at = command.indexOf(BEGIN)
  return at >= 0 && /(?:^|[\s;&|/])apply_?patch\b/.test(command.slice(0, at)) ? command.slice(at) : null
}

/**
 * Returns the change of an `apply_patch` call as a diff without line numbers, which the patch does not have; null if the text
 * is not a patch. With several files, `files` has all of them and the other fields are those of the first.
 */
export function diffOfPatch(patch: string): JsonObject | null {
  const lines = patch.split(/\r?\n/, MAX_LINES)
  const files: PatchedFile[] = []
  // Outside are the lines of a shell around a patch.
  let isInside = false
  for (const line of lines) {
    isInside = isInside ? !line.startsWith('*** End Patch') : line.trim() === BEGIN
    if (!isInside) continue
    const [, change, path] = FILE.exec(line) ?? []
    const file = files.at(-1)
    if (change !== undefined && path !== undefined) {
      files.push({ filePath: path.trim(), change: change.toLowerCase(), structuredPatch: [] })
    } else if (file === undefined || line.startsWith('***')) {
      const moved = MOVE.exec(line)?.[1]
      if (file !== undefined && moved !== undefined) file.filePath = moved.trim()
    } else if (HUNK.test(line)) {
      const under = HUNK.exec(line)?.[1]
      // Of several in a row, each comes after the one before.
      const isFurther = file.structuredPatch.at(-1)?.lines.length === 0
      if (!isFurther) file.structuredPatch.push(newHunk())
      const hunk = file.structuredPatch.at(-1)
      if (hunk !== undefined && under) hunk.under = [...(hunk.under ?? []), under]
    } else if (/^[+\- ]/.test(line)) {
      if (file.structuredPatch.length === 0) file.structuredPatch.push(newHunk())
      file.structuredPatch.at(-1)?.lines.push(line)
    }
  }
  const [first] = files
  if (first === undefined) return null
  const all = files.map((file): JsonObject => ({
    ...file,
    structuredPatch: file.structuredPatch.map((hunk) => ({ ...hunk })),
  }))
  return { ...all[0], ...(all.length > 1 ? { files: all } : {}) }
}

const newHunk = (): Hunk => ({ oldStart: null, newStart: null, lines: [] })
