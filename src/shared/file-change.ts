import { objectOf, filledString, listOf, numberOf } from './json-fields.ts'
import type { Json } from './json.ts'

/** A part of a file's change: a text replaced by another, or lines of a diff, each with its sign. */
export type ChangePart =
  | {
      readonly kind: 'replaced'
      readonly before: string
      readonly after: string
      /** Every occurrence, not only one. */
      readonly isAll?: true
    }
  | {
      readonly kind: 'lines'
      readonly text: string
      /** Numbers of the first line before and after; absent if unknown. */
      readonly oldStart?: number
      readonly newStart?: number
      /** Lines that come before it in this order, not always next to it: the words of a patch behind `@@`. */
      readonly under?: readonly string[]
    }

/** A call's changes in one file. */
export interface FileChange {
  readonly path: string
  /** `write`: the whole file, whether or not it existed. */
  readonly change: 'add' | 'update' | 'delete' | 'write'
  readonly parts: readonly ChangePart[]
}

const CHANGES: ReadonlyMap<unknown, FileChange['change']> = new Map([
  ['add', 'add'],
  ['create', 'add'],
  ['create_file', 'add'],
  ['delete', 'delete'],
  ['delete_file', 'delete'],
])

/** Returns the kind of change for a client's own word; any other word is an update. */
export const changeNamed = (word: Json | undefined): FileChange['change'] => CHANGES.get(word) ?? 'update'

/**
 * Reads a structured patch (`filePath`, `structuredPatch`), which a decoder keeps in a result's detail; `files` has more than
 * one file. Returns an empty list if there is none.
 */
export function fileChanges(detail: Json | undefined): readonly FileChange[] {
  const fields = objectOf(detail)
  const several = listOf(fields['files'])
  return (several.length > 0 ? several : [fields]).flatMap((one) => {
    const { filePath, structuredPatch, change, type } = objectOf(one)
    const path = filledString(filePath)
    if (path === null || !Array.isArray(structuredPatch)) return []
    const parts = listOf(structuredPatch).map((hunk) => partOf(hunk))
    return [{ path, change: changeNamed(filledString(change) ?? type), parts }]
  })
}

function partOf(hunk: Json): ChangePart {
  const { lines, oldStart, newStart, under } = objectOf(hunk)
  const above = listOf(under).filter((line) => typeof line === 'string')
  const [old, next] = [numberOf(oldStart), numberOf(newStart)]
  return {
    kind: 'lines',
    text: listOf(lines)
      .filter((line) => typeof line === 'string')
      .join('\n'),
    ...(old === null ? {} : { oldStart: old }),
    ...(next === null ? {} : { newStart: next }),
    ...(above.length === 0 ? {} : { under: above }),
  }
}

/**
 * Returns the changes of a call: those in its result, which has the line numbers, or else those in its input. The
 * result of a new file has no patch.
 */
export function changesOf(asked: readonly FileChange[], detail: Json | undefined): readonly FileChange[] {
  const reported = fileChanges(detail).filter(({ parts, change }) => parts.length > 0 || change === 'delete')
  if (reported.length < asked.length || reported.length === 0) return asked
  const isNumbered = reported.some(({ parts }) =>
    parts.some((part) => part.kind === 'lines' && part.newStart !== undefined),
  )
  return isNumbered || asked.every(({ parts }) => parts.every(({ kind }) => kind === 'lines')) ? reported : asked
}
