/** What a tool call did to the project, read from the shape of its input: the names of tools differ between clients. */
export type ToolAction =
  | { readonly kind: 'command'; readonly command: string }
  | { readonly kind: 'edit'; readonly path: string; readonly added: number; readonly removed: number }

interface Fields {
  readonly [name: string]: unknown
}

const COMMAND_FIELDS = ['command', 'cmd'] as const
const PATCH_FIELDS = ['input', 'patch', 'diff'] as const
const PATH_FIELDS = ['file_path', 'notebook_path', 'path'] as const

/** Returns what a call with these arguments ran or edited, of several edits the first; null if it did neither. */
export const actionOf = (input: Fields): ToolAction | null => actionsOf(input)[0] ?? null

/** Returns what a call with these arguments ran or edited: one command, or one edit a file. */
export function actionsOf(input: Fields): readonly ToolAction[] {
  for (const name of COMMAND_FIELDS) {
    const command = commandIn(input[name])
    if (command !== null) return [{ kind: 'command', command }]
  }
  const patch = PATCH_FIELDS.map((name) => input[name]).find((value) => typeof value === 'string')
  if (typeof patch === 'string' && patch.includes('*** Begin Patch')) return editsOfPatch(patch)
  const edit = editOf(input)
  return edit === null ? [] : [edit]
}

/** Reads Codex's patches: a header a file, then lines that begin with `+`, `-` or a space. */
function editsOfPatch(patch: string): readonly ToolAction[] {
  const edits: { kind: 'edit'; path: string; added: number; removed: number }[] = []
  for (const line of patch.split('\n')) {
    const path = /^\*\*\* (?:Add|Update|Delete) File: (.+)$/.exec(line)?.[1]
    const edit = edits.at(-1)
    if (path !== undefined) edits.push({ kind: 'edit', path: path.trim(), added: 0, removed: 0 })
    else if (edit !== undefined && line.startsWith('+')) edit.added += 1
    else if (edit !== undefined && line.startsWith('-')) edit.removed += 1
  }
  return edits
}

function editOf(input: Fields): ToolAction | null {
  const path = PATH_FIELDS.map((name) => input[name]).find((value) => typeof value === 'string')
  if (typeof path !== 'string' || path === '') return null
  const changes = changesIn(input)
  if (changes.length === 0) return null
  const sum = (side: 'added' | 'removed') => changes.reduce((total, change) => total + change[side], 0)
  return { kind: 'edit', path, added: sum('added'), removed: sum('removed') }
}

/** Returns a command line: text, or the last of a list such as `["bash", "-lc", "npm test"]`. */
function commandIn(value: unknown): string | null {
  if (typeof value === 'string') return value.trim() === '' ? null : value.trim()
  if (!Array.isArray(value) || !value.every((part): part is string => typeof part === 'string')) return null
  const [shell, flag, script] = value
  if (value.length === 3 && shell?.endsWith('sh') && /^-\w*c$/.test(flag ?? '') && script) return script.trim()
  return value.length === 0 ? null : value.join(' ')
}

function changesIn(input: Fields): { added: number; removed: number }[] {
  const pairs = [input, ...(Array.isArray(input['edits']) ? (input['edits'] as unknown[]) : [])]
  return pairs.flatMap((pair) => {
    if (typeof pair !== 'object' || pair === null) return []
    const { old_string: before, new_string: after, content, new_source: source } = pair as Fields
    if (typeof after === 'string') return [lineChanges(typeof before === 'string' ? before : '', after)]
    const whole = [content, source].find((text) => typeof text === 'string')
    return typeof whole === 'string' ? [lineChanges('', whole)] : []
  })
}

/** Counts lines that only one of the texts has, each as often as it has more of them. */
function lineChanges(before: string, after: string): { added: number; removed: number } {
  const balance = new Map<string, number>()
  for (const line of linesOf(before)) balance.set(line, (balance.get(line) ?? 0) - 1)
  for (const line of linesOf(after)) balance.set(line, (balance.get(line) ?? 0) + 1)
  const counts = [...balance.values()]
  return {
    added: counts.reduce((sum, count) => sum + Math.max(0, count), 0),
    removed: counts.reduce((sum, count) => sum + Math.max(0, -count), 0),
  }
}

const linesOf = (text: string): string[] => (text === '' ? [] : text.replace(/\n$/, '').split('\n'))

/** Formats the outcome of a call in a word. */
export function outcomeWord(step: { readonly success: boolean | null; readonly rejected: boolean }): string {
  if (step.rejected) return 'refused'
  return step.success === null ? 'no result' : step.success ? 'ok' : 'failed'
}
