import { changesOf, type FileChange } from '../../shared/file-change.ts'
import { filledString, numberOf, objectOf } from '../../shared/json-fields.ts'
import type { Json } from '../../shared/json.ts'
import { commandIn, mcpToolOf, toolShape } from '../../shared/tool-shape.ts'
import type { FileStep } from './file-step.ts'
import { joinedPath } from './joined-path.ts'
import { commandSteps } from './shell-steps.ts'

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
}

/** Tools that write a file whole. Others with the same fields may append to it. */
const WRITES = /^(?:write|write_?file|create_?file)$/i

/** Returns what a call did to files, or showed of them. */
export function callSteps(call: RecordedCall): readonly FileStep[] {
  const { toolName, input, folder, isSuccess } = call
  if (call.isRejected) return []
  const shape = toolShape(toolName, input)
  switch (shape.kind) {
    case 'command':
      return commandSteps({
        command: shape.command,
        folder: shape.folder === null ? folder : joinedPath(folder, shape.folder),
        // Other clients put words of their own around it.
        output: toolName === 'Bash' ? call.output : '',
        isSuccess,
      })
    case 'edit':
      // A patch given to a shell may be one of several commands.
      if (!isOnlyPatch(input)) return [{ kind: 'doubted', path: null }]
      return isSuccess === false ? [] : shape.files.flatMap((change) => changeSteps(call, change, shape.files))
    case 'read':
      return isSuccess === true && mcpToolOf(toolName) === null ? readSteps(call, shape.path, shape.from === null) : []
    case 'mcp':
    case 'other':
      // What a tool of somebody else does, or one whose input is not stored, nobody knows.
      return isKnownToRead(toolName) ? [] : [{ kind: 'doubted', path: null }]
    default:
      return []
  }
}

const isOnlyPatch = (input: Json): boolean =>
  /^\s*apply_?patch\s*(?:<<|'|"|\*)[^]*$|^$/.test(commandIn(objectOf(input)) ?? '')

const isKnownToRead = (toolName: string): boolean =>
  /^(?:Agent|BashOutput|EnterPlanMode|ExitPlanMode|Glob|Grep|KillShell|LS|Read|Skill|Task|TaskOutput|ToolSearch|WebFetch|WebSearch|view_image)$/.test(
    toolName,
  )

function changeSteps(call: RecordedCall, asked: FileChange, all: readonly FileChange[]): readonly FileStep[] {
  const path = joinedPath(call.folder, asked.path)
  if (path === null) return [{ kind: 'doubted', path: null }]
  const isOwn = mcpToolOf(call.toolName) === null && objectOf(call.input)['notebook_path'] === undefined
  if (call.isSuccess !== true || !isOwn) return [{ kind: 'doubted', path }]
  const [part] = asked.parts
  switch (asked.change) {
    case 'delete':
      return [{ kind: 'deleted', path }]
    case 'write':
      return WRITES.test(call.toolName) && part?.kind === 'replaced'
        ? [{ kind: 'written', path, text: part.after, isByCommand: false }]
        : [{ kind: 'doubted', path }]
    default: {
      const told = all.length === 1 ? (changesOf(all, call.detail)[0]?.parts ?? []) : []
      return [
        ...movedSteps(call, path),
        { kind: 'changed', path, parts: asked.parts, told, isNew: asked.change === 'add' },
      ]
    }
  }
}

/** A patch that moves a file names it by its new path; which file it was, only its text says. */
function movedSteps({ input }: RecordedCall, path: string): readonly FileStep[] {
  return /^\*\*\* Move to: /m.test(JSON.stringify(input).replaceAll('\\n', '\n')) ? [{ kind: 'doubted', path }] : []
}

/** A numbered line, in the forms of old and new clients. */
const NUMBERED = /^ *(\d+)(?:\t|→)(.*)$/s
/** Claude Code shows that many lines of a file unless it is asked for others. */
const SHOWN_AT_ONCE = 2000

function readSteps(call: RecordedCall, path: string, isFromStart: boolean): readonly FileStep[] {
  const known = joinedPath(call.folder, path)
  const numbered = call.output.split('\n').map((line) => NUMBERED.exec(line))
  const from = Number(numbered[0]?.[1])
  if (known === null || !(from >= 1)) return []
  const lines: string[] = []
  for (const found of numbered) {
    if (Number(found?.[1]) !== from + lines.length) return []
    lines.push((found?.[2] ?? '').replace(/\r$/, ''))
  }
  const { numLines, totalLines, startLine } = objectOf(objectOf(call.detail)['file'])
  const isTold = numberOf(totalLines) !== null
  const isAll = isTold ? numLines === totalLines && startLine === 1 : isFromStart && lines.length < SHOWN_AT_ONCE
  const asked = objectOf(call.input)
  const isNotebook = filledString(asked['notebook_path']) !== null || known.endsWith('.ipynb')
  const isWhole = isAll && from === 1 && asked['limit'] === undefined
  return isNotebook ? [] : [{ kind: 'shown', path: known, from, lines, isWhole: isTold ? isAll : isWhole }]
}
