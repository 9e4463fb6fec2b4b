import type { AspyEvent } from '../../../../shared/event.ts'
import type { FileChange } from '../../../../shared/file-change.ts'
import { toolShape } from '../../../../shared/tool-shape.ts'
import { countLines } from '../../../../shared/change-lines.ts'

/** An edit of a file by one call. */
export interface FileEdit {
  readonly call: AspyEvent<'tool_call'>
  readonly change: FileChange
}

/** A session's changes to a file, in order. */
export interface FileHistory {
  readonly path: string
  readonly edits: readonly FileEdit[]
  readonly added: number
  readonly removed: number
}

/** Groups the edits of calls by file, in the order in which the files were first changed. `failed`: calls that changed nothing. */
export function fileHistories(
  calls: readonly AspyEvent<'tool_call'>[],
  failed: ReadonlySet<string>,
): readonly FileHistory[] {
  const files = new Map<string, { edits: FileEdit[]; added: number; removed: number }>()
  for (const call of calls) {
    if (failed.has(call.uuid)) continue
    const shape = toolShape(call.payload.tool_name, call.payload.input)
    if (shape.kind !== 'edit') continue
    for (const change of shape.files) {
      const file = files.get(change.path) ?? { edits: [], added: 0, removed: 0 }
      const { added, removed } = countLines(change.parts)
      file.edits.push({ call, change })
      file.added += added
      file.removed += removed
      files.set(change.path, file)
    }
  }
  return [...files].map(([path, file]) => ({ path, ...file }))
}
