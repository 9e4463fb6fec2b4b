import { diffOfPatch, patchIn, patchOfCommand } from './apply-patch.ts'
import { firstCharacters } from './cut-text.ts'
import { changeNamed, fileChanges, type FileChange } from './file-change.ts'
import { objectOf, filledString, listOf, numberOf, stringOf } from './json-fields.ts'
import type { Json, JsonObject } from './json.ts'

/** A task on a list, in the client's own status: `pending`, `in_progress`, `completed` … */
export interface ListedTask {
  readonly text: string
  readonly status: string
}

/** A question for the user. */
export interface AskedQuestion {
  readonly text: string
  readonly options: readonly { readonly label: string; readonly about: string | null }[]
}

/** The action of a tool call, independent of the tool's name. */
export type ToolShape =
  | {
      readonly kind: 'command'
      readonly command: string
      readonly folder: string | null
      readonly about: string | null
    }
  | { readonly kind: 'read'; readonly path: string; readonly from: number | null; readonly until: number | null }
  | { readonly kind: 'edit'; readonly files: readonly FileChange[] }
  | { readonly kind: 'search'; readonly pattern: string; readonly place: string | null }
  | { readonly kind: 'todo'; readonly tasks: readonly ListedTask[]; readonly about: string | null }
  | { readonly kind: 'question'; readonly questions: readonly AskedQuestion[] }
  | { readonly kind: 'web'; readonly target: string; readonly isAddress: boolean; readonly about: string | null }
  | { readonly kind: 'agent'; readonly task: string; readonly type: string | null; readonly prompt: string }
  | { readonly kind: 'mcp'; readonly server: string; readonly tool: string; readonly fields: JsonObject }
  | { readonly kind: 'other'; readonly fields: Json }

/** Returns the server and the tool in a name such as `mcp__<server>__<tool>`; null if it is not a tool of MCP. */
export function mcpToolOf(toolName: string): { readonly server: string; readonly tool: string } | null {
  const [, server, tool] = /^mcp__(.+?)__(.+)$/s.exec(toolName) ?? []
  return server === undefined || tool === undefined ? null : { server, tool }
}

/** Returns a tool's name, with its server if it has one. */
export function toolLabel(toolName: string): string {
  const mcp = mcpToolOf(toolName)
  return mcp === null ? toolName : `${mcp.server} · ${mcp.tool}`
}

/**
 * Recognizes a call's action by the fields of its input, so that the tools of all clients are treated alike. Only MCP
 * tools are recognized by name, since all clients write it in the same way.
 */
export function toolShape(toolName: string, input: Json): ToolShape {
  const fields = typeof input === 'string' ? { input } : objectOf(input)
  const mcp = mcpToolOf(toolName)
  if (mcp !== null) {
    const shape = commandOf(fields) ?? changeOf(fields)
    return shape !== null && isOfThisMachine(shape) ? shape : { kind: 'mcp', ...mcp, fields }
  }
  return (
    commandOf(fields) ??
    questionsOf(fields) ??
    tasksOf(fields) ??
    changeOf(fields) ??
    agentOf(fields) ??
    searchOf(fields) ??
    webOf(fields) ??
    readOf(fields) ?? { kind: 'other', fields: input }
  )
}

/** For an MCP server, a relative path may refer to a file elsewhere, such as in a remote repository. */
const isOfThisMachine = (shape: ToolShape): boolean => filesOf(shape).every(({ path }) => ABSOLUTE.test(path))
const ABSOLUTE = /^(?:[/~\\]|[a-z]:[/\\])/i

/** Returns the files that a call reads, searches or edits, as far as its input names them. */
export function filesOf(shape: ToolShape): readonly { readonly path: string; readonly isEdited: boolean }[] {
  if (shape.kind === 'edit') return shape.files.map(({ path }) => ({ path, isEdited: true }))
  const path = pathOf(shape)
  return path === null ? [] : [{ path, isEdited: false }]
}

function pathOf(shape: ToolShape): string | null {
  if (shape.kind === 'read') return shape.path
  return shape.kind === 'search' ? shape.place : shape.kind === 'mcp' ? pathIn(shape.fields) : null
}

/** Returns a call's main argument in one line: its command, path, pattern, task … */
export function shapeSummary(shape: ToolShape): string {
  switch (shape.kind) {
    case 'command':
      return firstLine(shape.command)
    case 'read':
      return shape.from === null
        ? shape.path
        : `${shape.path}:${shape.from}${shape.until === null ? '' : `–${shape.until}`}`
    case 'edit':
      return shape.files.length === 1 ? (shape.files[0]?.path ?? '') : `${shape.files.length} files`
    case 'search':
      return shape.place === null ? shape.pattern : `${shape.pattern} in ${shape.place}`
    case 'todo':
      return shape.about ?? (shape.tasks.length === 1 ? (shape.tasks[0]?.text ?? '') : taskCount(shape.tasks))
    case 'question':
      return shape.questions[0]?.text ?? ''
    case 'web':
      return shape.target
    case 'agent':
      return shape.task
    case 'mcp':
      return briefly(shape.fields)
    case 'other':
      return briefly(shape.fields)
  }
}

const taskCount = (tasks: readonly ListedTask[]): string =>
  `${tasks.filter(({ status }) => status === 'completed').length} of ${tasks.length} done`

const firstLine = (text: string): string => text.trimStart().split('\n', 1)[0] ?? ''

/** Formats the fields of an input in one line: its only text, or `name: value` for each short value. */
function briefly(input: Json): string {
  if (typeof input === 'string') return firstCharacters(firstLine(input), 200)
  const values = Object.entries(objectOf(input)).filter(
    ([, value]) => value !== null && (typeof value !== 'object' || Array.isArray(value)),
  )
  const said = values.map(([name, value]) => {
    const text = firstLine(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))
    return values.length === 1 && typeof value === 'string' ? text : `${name}: ${text}`
  })
  return firstCharacters(said.join(' · '), 200)
}

const SHELL = /(?:^|[/\\])(?:(?:ba|z|da|fi|k)?sh|powershell|pwsh|cmd)(?:\.exe)?$/i
/** The shell option that precedes a command: `-c`, `-lc`, `-Command`, `/c`. */
const SCRIPT_FOLLOWS = /^(?:-\w*c|-command|\/c)$/i

/** Returns the command line that a call runs; null if it runs none. */
export function commandIn(fields: JsonObject): string | null {
  const command = lineOf(fields['command'] ?? fields['cmd']) ?? linesOf(fields['commands'])
  return command === null || command.trim() === '' ? null : command
}

/** Returns the folder that a call names to run in; null if it names none. */
export const folderIn = (fields: JsonObject): string | null =>
  filledString(fields['workdir']) ?? filledString(fields['cwd']) ?? filledString(fields['working_directory'])

function commandOf(fields: JsonObject): ToolShape | null {
  const command = commandIn(fields)
  if (command === null) return null
  const patch = patchOfCommand(command)
  const change = patch === null ? null : diffOfPatch(patch)
  if (change !== null) return { kind: 'edit', files: fileChanges(change) }
  return {
    kind: 'command',
    command,
    folder: folderIn(fields),
    about: filledString(fields['description']) ?? filledString(fields['justification']),
  }
}

/** Returns a command line: a text, or a list of words such as `["bash", "-lc", "npm test"]`. */
function lineOf(value: Json | undefined): string | null {
  if (typeof value === 'string') return value
  const words = listOf(value).filter((word) => typeof word === 'string')
  const script = SHELL.test(words[0] ?? '') ? words.findIndex((word) => SCRIPT_FOLLOWS.test(word)) + 1 : 0
  return script > 0 ? (words[script] ?? null) : words.length === 0 ? null : words.join(' ')
}

/** Returns several commands as lines: OpenAI's own shell tool runs them one after another. */
function linesOf(value: Json | undefined): string | null {
  if (typeof value === 'string') return value
  return listOf(value)
    .map((command) => lineOf(command))
    .filter((line) => line !== null)
    .join('\n')
}

const pathIn = (fields: JsonObject): string | null =>
  filledString(fields['file_path']) ?? filledString(fields['notebook_path']) ?? filledString(fields['path'])

function changeOf(fields: JsonObject): ToolShape | null {
  const patch = patchIn(fields)
  const parsed = patch === null ? null : diffOfPatch(patch)
  if (parsed !== null) return { kind: 'edit', files: fileChanges(parsed) }
  const path = pathIn(fields)
  if (path === null) return null
  const change = changeNamed(fields['type'])
  const diff = stringOf(fields['diff'])
  if (diff !== null || change === 'delete') {
    const parts = diff === null ? [] : [{ kind: 'lines' as const, text: diff.replace(DIFF_HEAD, '') }]
    return { kind: 'edit', files: [{ path, change, parts }] }
  }
  const parts = (listOf(fields['edits']).length > 0 ? listOf(fields['edits']) : [fields]).flatMap((edit) => {
    const { old_string: before, new_string: after, replace_all: all } = objectOf(edit)
    if (typeof before !== 'string' || typeof after !== 'string') return []
    return [{ kind: 'replaced' as const, before, after, ...(all === true ? { isAll: true as const } : {}) }]
  })
  if (parts.length > 0) return { kind: 'edit', files: [{ path, change: 'update', parts }] }
  const content = stringOf(fields['content']) ?? stringOf(fields['new_source'])
  if (content === null) return null
  return { kind: 'edit', files: [{ path, change: 'write', parts: [{ kind: 'replaced', before: '', after: content }] }] }
}

/** The lines of `diff -u` that name the file. */
const DIFF_HEAD = /^(?:(?:diff|index|new|deleted|old|similarity|rename) .*\n)*--- .*\n\+\+\+ .*\n/

function questionsOf(fields: JsonObject): ToolShape | null {
  const asked = fields['questions'] ?? (filledString(fields['question']) === null ? [] : [fields])
  const questions = listOf(asked).flatMap((one): AskedQuestion[] => {
    const { question, options } = objectOf(one)
    if (typeof question !== 'string' || question.trim() === '') return []
    const choices = listOf(options).flatMap((option) => {
      const label = filledString(option) ?? filledString(objectOf(option)['label'])
      return label === null ? [] : [{ label, about: filledString(objectOf(option)['description']) }]
    })
    return [{ text: question, options: choices }]
  })
  return questions.length === 0 ? null : { kind: 'question', questions }
}

function tasksOf(fields: JsonObject): ToolShape | null {
  const given = [fields['todos'], fields['plan'], fields['tasks']].find((list) => Array.isArray(list))
  const tasks = listedTasks(given ?? null)
  if (given !== undefined && tasks.length > 0)
    return { kind: 'todo', tasks, about: filledString(fields['explanation']) }
  const subject = filledString(fields['subject'])
  const id = filledString(fields['taskId'])
  if (subject === null && id === null) return null
  const status = filledString(fields['status'])
  const text = [id === null ? null : `#${id}`, subject].filter((part) => part !== null).join(' ')
  if (id !== null && status === null && subject === null) return null
  return { kind: 'todo', tasks: [{ text, status: status ?? 'pending' }], about: null }
}

/** Returns the tasks of a list; entries without a text are left out. */
export function listedTasks(list: Json): readonly ListedTask[] {
  return listOf(list).flatMap((one) => {
    const fields = objectOf(one)
    const text = filledString(fields['content']) ?? filledString(fields['step']) ?? filledString(fields['subject'])
    return text === null ? [] : [{ text, status: filledString(fields['status']) ?? 'pending' }]
  })
}

function agentOf(fields: JsonObject): ToolShape | null {
  const prompt = filledString(fields['prompt']) ?? filledString(fields['message'])
  const type = filledString(fields['subagent_type']) ?? filledString(fields['agent_type'])
  const task = filledString(fields['description']) ?? filledString(fields['task_name'])
  if (prompt === null || (type === null && task === null)) return null
  return { kind: 'agent', task: task ?? firstLine(prompt), type, prompt }
}

function searchOf(fields: JsonObject): ToolShape | null {
  const pattern = filledString(fields['pattern'])
  const place = filledString(fields['path']) ?? filledString(fields['glob'])
  return pattern === null ? null : { kind: 'search', pattern, place }
}

function webOf(fields: JsonObject): ToolShape | null {
  const address = filledString(fields['url'])
  const about = filledString(fields['prompt'])
  if (address !== null) return { kind: 'web', target: address, isAddress: true, about }
  const query = filledString(fields['query']) ?? filledString(listOf(fields['queries'])[0])
  return query === null ? null : { kind: 'web', target: query, isAddress: false, about }
}

function readOf(fields: JsonObject): ToolShape | null {
  const path = pathIn(fields)
  if (path === null) return null
  const offset = numberOf(fields['offset'])
  const limit = numberOf(fields['limit'])
  const from = offset === null && limit === null ? null : Math.max(1, offset ?? 1)
  return { kind: 'read', path, from, until: from === null || limit === null ? null : from + limit - 1 }
}
