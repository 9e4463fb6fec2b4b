import { diffLines } from '../../../../src/shared/line-diff.ts'
import type { Json } from '../../../../src/shared/json.ts'
import type { ScriptCall } from './script.ts'

const SIGNS = { same: ' ', added: '+', removed: '-' } as const

/** Returns what the client reports of a call: of an edit, the patch with the number of its first line. */
export function responseOf({ tool, input, output, response }: ScriptCall): Json {
  const { file_path: filePath, old_string: oldString, new_string: newString } = input
  const first = Number(/^ *(\d+)\t/m.exec(output)?.[1])
  if (response !== undefined || tool !== 'Edit' || !Number.isInteger(first)) return response ?? { stdout: output }
  const changed = diffLines(String(oldString), String(newString))
  const lines = changed.map(({ kind, text }) => `${SIGNS[kind]}${text}`)
  const [oldLines, newLines] = (['added', 'removed'] as const).map(
    (no) => changed.filter(({ kind }) => kind !== no).length,
  )
  const hunk = { oldStart: first, oldLines: oldLines ?? 0, newStart: first, newLines: newLines ?? 0, lines }
  return { filePath: filePath ?? '', oldString: oldString ?? '', newString: newString ?? '', structuredPatch: [hunk] }
}
