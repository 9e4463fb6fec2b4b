import { changesOf, type ChangePart, type FileChange } from '../../shared/file-change.ts'
import { filledString, numberOf, objectOf, stringOf } from '../../shared/json-fields.ts'
import type { Json } from '../../shared/json.ts'
import { patchIn, patchOfCommand } from '../../shared/apply-patch.ts'
import { FILE_RESTORED } from '../../shared/own-deed.ts'
import type { FileSeen } from '../../shared/seen-file.ts'
import { commandIn, folderIn, mcpToolOf, toolShape } from '../../shared/tool-shape.ts'
import { foundSteps } from './found-steps.ts'
import { DOUBT, linesIn, type FileStep, type LineOrigin } from './file-step.ts'
import { joinedPath } from './joined-path.ts'
import { commandSteps } from './shell-steps.ts'
import { addedPlaces } from './told-lines.ts'

/** A tool call with its result, as far as they are recorded. */
export interface RecordedCall {
  readonly toolName: string
  /** null: not stored. */
  readonly input: Json
  readonly output: string
  readonly detail: Json | undefined
  /** null: it is not known how it ended. */
  readonly isSuccess: boolean | null
  readonly isRejected: boolean
  /** The working directory of its session. */
  readonly folder: string | null
  /** What looks at the disk found before and after it. */
  readonly seen?: readonly FileSeen[]
}

/** The tools that Aspy gives to a model: they write no file. */
const OWN_TOOL = /^mcp__(?:plugin_aspy_)?aspy__aspy_/

/** Tools that write a file whole. Others with the same fields may append to it. */
const WRITES = /^(?:write|write_?file|create_?file)$/i

/** Returns what a call did to files, or showed of them. */
export function callSteps(call: RecordedCall): readonly FileStep[] {
  if (call.isRejected) return []
  return foundSteps(call.seen ?? [], call.input, ownSteps(call))
}

function ownSteps(made: RecordedCall): readonly FileStep[] {
  const { toolName, isSuccess } = made
  if (toolName === FILE_RESTORED) return restoredSteps(made.input)
  if (OWN_TOOL.test(toolName)) return []
  const named = folderIn(objectOf(made.input))
  const folder = named === null ? made.folder : joinedPath(made.folder, named)
  const call = { ...made, folder }
  const input = executed(call)
  const shape = toolShape(toolName, input)
  switch (shape.kind) {
    case 'command':
      return commandSteps({
        command: shape.command,
        folder,
        output: call.output,
        isFramed: toolName !== 'Bash',
        // What goes on in the background writes later.
        isSuccess: isUnfinished(call) ? null : isSuccess,
      })
    case 'edit':
      // A patch given to a shell may be one of several commands.
      if (!isOnlyPatch(input)) return [DOUBT]
      return isSuccess === false ? [] : shape.files.flatMap((change) => changeSteps(call, change, shape.files))
    case 'read':
      return isSuccess === true && mcpToolOf(toolName) === null ? readSteps(call, shape.path, shape.from === null) : []
    case 'mcp':
    case 'other':
      // What a tool of somebody else does, or one whose input is not stored, nobody knows: "get" may write what it got.
      return isKnownToRead(toolName) ? [] : [DOUBT]
    default:
      return []
  }
}

/** Returns what Aspy did to files when it restored one. */
export function restoredSteps(input: Json): readonly FileStep[] {
  const { path, out, event, kept } = objectOf(input)
  const [from, to, place] = [path, out, kept].map((each) => joinedPath(null, stringOf(each) ?? ''))
  if (!from || !to || typeof event !== 'string') return []
  return [
    ...(!place ? [] : [{ kind: 'moved', path: to, to: place, isCopy: false, isSure: true } as const]),
    { kind: 'restored', path: to, from, event },
  ]
}

/** Returns the input as the client carried it out: it tidies an edit, and a person may have changed what was asked for. */
function executed({ toolName, input, detail }: RecordedCall): Json {
  const { oldString, newString, replaceAll, content, filePath } = objectOf(detail)
  if (toolName === 'Edit' && typeof oldString === 'string' && typeof newString === 'string')
    return { ...objectOf(input), old_string: oldString, new_string: newString, replace_all: replaceAll ?? null }
  const isWritten = toolName === 'Write' && stringOf(filePath) !== null && typeof content === 'string'
  return isWritten ? { ...objectOf(input), content } : input
}

function isUnfinished({ input, detail }: RecordedCall): boolean {
  const { backgroundTaskId, interrupted } = objectOf(detail)
  return (
    objectOf(input)['run_in_background'] === true || filledString(backgroundTaskId) !== null || interrupted === true
  )
}

const isOnlyPatch = (input: Json): boolean =>
  /^\s*apply_?patch\s*(?:<<|'|"|\*)[^]*$|^$/.test(commandIn(objectOf(input)) ?? '')

const isKnownToRead = (toolName: string): boolean =>
  /^(?:Agent|AskUserQuestion|BashOutput|EnterPlanMode|ExitPlanMode|Glob|Grep|Kill(?:Bash|Shell)|LS|ListMcpResourcesTool|NotebookRead|Read|ReadMcpResourceTool|SendMessage|Skill|StructuredOutput|Task(?:Create|Get|List|Output|Stop|Update)?|Todo(?:Read|Write)|ToolSearch|Web(?:Fetch|Search)|update_plan|view_image)$/.test(
    toolName,
  )

function changeSteps(call: RecordedCall, asked: FileChange, all: readonly FileChange[]): readonly FileStep[] {
  const path = joinedPath(call.folder, asked.path)
  if (path === null) return [DOUBT]
  if (call.isSuccess !== true || mcpToolOf(call.toolName) !== null) return [{ kind: 'doubted', path }]
  if (objectOf(call.input)['notebook_path'] !== undefined) return notebookSteps(call, path)
  const [part] = asked.parts
  const origin: LineOrigin = objectOf(call.detail)['userModified'] === true ? 'unknown' : 'proven'
  // An edit of nothing makes the file.
  const isMade = part?.kind === 'replaced' && part.before === '' && all.length === 1 && asked.parts.length === 1
  const told = all.length === 1 ? (changesOf(all, call.detail)[0]?.parts.filter(isNumbered) ?? []) : []
  switch (asked.change) {
    case 'delete':
      return [{ kind: 'deleted', path }]
    case 'write':
      return WRITES.test(call.toolName) && part?.kind === 'replaced'
        ? [{ kind: 'written', path, text: part.after, origin, isExact: isCreated(call), added: addedPlaces(told) }]
        : [{ kind: 'doubted', path }]
    default: {
      if (isMade && call.toolName === 'Edit')
        return [{ kind: 'written', path, text: part.after, origin, isExact: isCreated(call) }]
      return [
        ...movedSteps(call, path),
        { kind: 'changed', path, parts: asked.parts, told, isNew: asked.change === 'add', origin },
      ]
    }
  }
}

/** Without its number, a part that a client repeats says less than the one that was asked for. */
const isNumbered = (part: ChangePart): boolean => part.kind === 'lines' && part.newStart !== undefined

/** The client writes the whole notebook with its own spaces, and tells its text before and after. */
function notebookSteps({ detail }: RecordedCall, path: string): readonly FileStep[] {
  const { original_file: before, updated_file: after } = objectOf(detail)
  if (typeof before !== 'string' || typeof after !== 'string') return [{ kind: 'doubted', path }]
  return [
    { kind: 'shown', path, from: 1, isWhole: true, ...linesIn(before) },
    { kind: 'written', path, text: after, origin: 'proven', isExact: false, isIndentedAgain: true },
  ]
}

const isCreated = ({ detail, output }: RecordedCall): boolean =>
  objectOf(detail)['type'] === 'create' || output.startsWith('File created')

/** A patch that moves a file names it by its new path; its text has the earlier one. */
function movedSteps({ input, folder }: RecordedCall, path: string): readonly FileStep[] {
  const patch = patchIn(input) ?? patchOfCommand(commandIn(objectOf(input)) ?? '') ?? ''
  return [...patch.matchAll(MOVED)].flatMap(([, from = '', to = '']): readonly FileStep[] => {
    const earlier = joinedPath(folder, from.trim())
    if (earlier === null || joinedPath(folder, to.trim()) !== path) return []
    return [{ kind: 'moved', path: earlier, to: path, isCopy: false, isSure: true }]
  })
}

const MOVED = /^\*\*\* Update File: (.+)\r?\n\*\*\* Move to: (.+)$/gm

/** A numbered line, in the forms of old and new clients. */
const NUMBERED = /^ *(\d+)(?:\t|→)(.*)$/s
/** Claude Code shows that many lines of a file unless it is asked for others. */
const SHOWN_AT_ONCE = 2000

function readSteps(call: RecordedCall, path: string, isFromStart: boolean): readonly FileStep[] {
  const known = joinedPath(call.folder, path)
  // A last line without text loses the sign behind its number where the client says something below.
  const numbered = call.output.split('\n').map((line) => NUMBERED.exec(line) ?? /^ *(\d+)()$/.exec(line))
  const from = Number(numbered[0]?.[1])
  if (known === null || !(from >= 1)) return []
  for (const [at, found] of numbered.entries()) if (Number(found?.[1]) !== from + at) return []
  const { lines, ending } = linesIn(numbered.map((found) => found?.[2] ?? '').join('\n'))
  const { numLines, totalLines, startLine } = objectOf(objectOf(call.detail)['file'])
  const isTold = numberOf(totalLines) !== null
  const isAll = isTold ? numLines === totalLines && startLine === 1 : isFromStart && lines.length < SHOWN_AT_ONCE
  const asked = objectOf(call.input)
  const isNotebook = filledString(asked['notebook_path']) !== null || known.endsWith('.ipynb')
  const isWhole = isAll && from === 1 && asked['limit'] === undefined
  // Without a carriage return in it, nothing says how its lines end: the client leaves that out.
  const shown = { from, lines, isWhole: isTold ? isAll : isWhole, ending: ending === 'crlf' ? ending : null }
  return isNotebook ? [] : [{ kind: 'shown', path: known, ...shown }]
}
