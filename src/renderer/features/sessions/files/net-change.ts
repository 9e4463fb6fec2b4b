import type { ChangePart, FileChange } from '../../../../shared/file-change.ts'
import { linesOf } from '../../../../shared/change-lines.ts'
import type { FileEdit } from './file-history.ts'

/** The net change of a file in a session, from its first known content to the last. */
export interface NetChange {
  readonly change: FileChange
  /** Its unknown parts, as sentences. */
  readonly unknown: readonly string[]
}

/** Lines that were edited: their first and their current text. */
interface Patch {
  readonly before: string
  readonly after: string
}

/**
 * Joins the edits of a file. An edit that changes the text of an earlier one is merged with it, so text that was added
 * and removed again is not in the result. Without the whole file, only the lines that edits name are known. `isNew`:
 * the first write created the file.
 */
export function netChange(path: string, edits: readonly FileEdit[], isNew: boolean): NetChange {
  /** The whole current text once it is known; before that, patches of it. */
  let whole: string | null = null
  let patches: Patch[] = []
  let startsEmpty = false
  let isDeleted = false
  const unknown = new Set<string>()

  const rewrite = (text: string, turn: number, creates: boolean) => {
    if (whole === null && patches.length > 0) {
      unknown.add(`Turn ${turn} wrote the whole file, so what earlier edits left of it is not known.`)
      patches = []
    } else if (whole === null) {
      startsEmpty = creates
      if (!creates) unknown.add(`Turn ${turn} wrote the whole file. What it held before is not recorded.`)
    }
    whole = text
  }
  const replace = (before: string, after: string, isAll: boolean, turn: number) => {
    if (whole !== null) {
      if (before !== '' && whole.includes(before)) {
        whole = isAll ? whole.replaceAll(before, () => after) : whole.replace(before, () => after)
        return
      }
      unknown.add(`The text that turn ${turn} changed is not in any earlier edit: something else changed the file.`)
    }
    patches = merged(patches, before, after, isAll)
  }

  for (const { call, change } of edits) {
    const turn = call.turn_id
    const isWhole = change.change === 'write' || change.change === 'add'
    if (change.change === 'delete') {
      whole = whole === null && patches.length === 0 ? null : ''
      patches = []
      isDeleted = true
    } else if (isWhole) {
      rewrite(
        change.parts.map((part) => sidesOf(part).after).join('\n'),
        turn,
        change.change === 'add' || isDeleted || isNew,
      )
      isDeleted = false
    } else {
      for (const part of change.parts) {
        const { before, after, isAll } = sidesOf(part)
        replace(before, after, isAll, turn)
      }
    }
  }
  const left = patches.filter(({ before, after }) => before !== after)
  if (isDeleted) {
    if (!startsEmpty) unknown.add('The file was deleted. Its lines are only known as far as edits name them.')
    return { change: { path, change: 'delete', parts: [] }, unknown: [...unknown] }
  }
  if (whole === null) unknown.add('Only lines that an edit names are known. The others were never recorded.')
  const parts: readonly ChangePart[] = [
    ...(whole === null ? [] : [{ kind: 'replaced' as const, before: '', after: whole }]),
    ...left.map(({ before, after }) => ({ kind: 'replaced' as const, before, after })),
  ]
  const kind = whole === null ? 'update' : startsEmpty ? 'add' : 'write'
  return { change: { path, change: kind, parts }, unknown: [...unknown] }
}

function sidesOf(part: ChangePart): { readonly before: string; readonly after: string; readonly isAll: boolean } {
  if (part.kind === 'replaced') return { before: part.before, after: part.after, isAll: part.isAll === true }
  const lines = linesOf(part)
  const side = (other: 'added' | 'removed') =>
    lines
      .filter(({ kind }) => kind !== other)
      .map(({ text }) => text)
      .join('\n')
  return { before: side('added'), after: side('removed'), isAll: false }
}

/** Merges an edit into the patch whose text it changes, or adds it as a separate patch. */
function merged(patches: readonly Patch[], before: string, after: string, isAll: boolean): Patch[] {
  if (before === '') return [...patches, { before, after }]
  const own = patches.findIndex((patch) => patch.after.includes(before))
  if (own >= 0 && !isAll) return patches.map((patch, at) => (at === own ? replaced(patch, before, after) : patch))
  if (isAll) {
    const all = patches.map((patch) => ({ ...patch, after: patch.after.replaceAll(before, () => after) }))
    return own >= 0 ? all : [...all, { before, after }]
  }
  for (const [at, patch] of patches.entries()) {
    const wider = extended(patch, before)
    if (wider !== null) return patches.map((other, index) => (index === at ? replaced(wider, before, after) : other))
  }
  return [...patches, { before, after }]
}

const replaced = (patch: Patch, before: string, after: string): Patch => ({
  before: patch.before,
  after: patch.after.replace(before, () => after),
})

/** Widens a patch by unchanged lines, if the end of one text is the beginning of the other; null if they share no whole line. */
function extended(patch: Patch, text: string): Patch | null {
  const [now, next] = [patch.after.split('\n'), text.split('\n')]
  for (let shared = Math.min(now.length, next.length); shared > 0; shared -= 1) {
    const same = (one: readonly string[], other: readonly string[]) => one.every((line, at) => line === other[at])
    const hasText = (lines: readonly string[]) => lines.some((line) => line.trim() !== '')
    const tail = now.slice(-shared)
    if (same(tail, next) && hasText(tail)) {
      const more = next.slice(shared).map((line) => `\n${line}`)
      return { before: patch.before + more.join(''), after: patch.after + more.join('') }
    }
    const head = now.slice(0, shared)
    if (same(head, next.slice(-shared)) && hasText(head)) {
      const more = next.slice(0, -shared).map((line) => `${line}\n`)
      return { before: more.join('') + patch.before, after: more.join('') + patch.after }
    }
  }
  return null
}
