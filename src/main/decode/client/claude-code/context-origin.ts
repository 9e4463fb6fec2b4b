import type { Json, JsonObject } from '../../../../shared/event.ts'
import type { ContextOrigin } from '../context-origin.ts'

/** Only the beginning of a text identifies it. */
const LOOKED_AT = 4000
const REMINDER = '<system-reminder>'
/** The instructions of a project or person: `Contents of <path> (…):`. */
const CONTEXT = "As you answer the user's questions, you can use the following context"
const INSTRUCTIONS = /Contents of (\/[^\n]{1,1000}?|[A-Za-z]:\\[^\n]{1,1000}?) \(/
/** What a command printed that ran in the client itself, and the client's words about it. */
const COMMAND_OUTPUT = /^<local-command-(?:caveat|stdout|stderr)>/
const SKILL_FOLDER = 'Base directory for this skill: '
/** After a compaction, the texts of the skills that were loaded before. */
const INVOKED = 'The following skills were invoked in this session'
const INVOKED_NAME = /^### Skill: ([^\n]{1,200})\nPath: /gm
const SUMMARY = 'This session is being continued from a previous conversation'
const FILE_RESULT = 'Result of calling the Read tool'
const FILE_CALL = /^Called the Read tool with the following input: \{"file_path":"([^"\n]{1,1000})"/

/** Recognizes text that Claude Code adds to a request; null for everything else. */
export function contextOrigin(part: Json): ContextOrigin | null {
  const text = textOf(part)
  if (text === null) return null
  const beginning = text.slice(0, LOOKED_AT).trimStart()
  if (COMMAND_OUTPUT.test(beginning)) return { origin: 'reminder', name: null }
  const isReminder = beginning.startsWith(REMINDER)
  const inner = isReminder ? beginning.slice(REMINDER.length).trimStart() : beginning
  const found = originOf(inner, isReminder, text)
  return found ?? (isReminder ? { origin: 'reminder', name: null } : null)
}

function originOf(text: string, isReminder: boolean, whole: string): ContextOrigin | null {
  const named = (origin: string, name: string | null = null): ContextOrigin => ({ origin, name })
  if (text.startsWith(SUMMARY)) return named('summary')
  if (text.startsWith(SKILL_FOLDER)) return named('skill', skillName(text.slice(SKILL_FOLDER.length)))
  if (text.startsWith(CONTEXT) || (isReminder && /^# claudeMd\b|^Contents of /m.test(text))) {
    const path = INSTRUCTIONS.exec(text)?.[1] ?? null
    if (path !== null || text.includes('# claudeMd')) return named('claude_md', path)
  }
  if (/^#* ?MCP Server Instructions/m.test(text.slice(0, 200))) return named('mcp_instructions')
  if (!isReminder) return null
  if (/skills are available/.test(text.slice(0, 200))) return named('skill')
  if (text.startsWith(INVOKED))
    return named('skill', [...whole.matchAll(INVOKED_NAME)].map(([, name]) => name).join(', ') || null)
  const call = FILE_CALL.exec(text)
  if (call !== null) return named('file_read', call[1] ?? null)
  return text.startsWith(FILE_RESULT) ? named('file_read') : null
}

/** The last part of a skill's folder. */
function skillName(text: string): string | null {
  const folder = text
    .split('\n', 1)[0]
    ?.trim()
    .replace(/[\\/]+$/, '')
  return folder?.split(/[\\/]/).at(-1) || null
}

function textOf(part: Json): string | null {
  if (typeof part === 'string') return part
  if (typeof part !== 'object' || part === null || Array.isArray(part)) return null
  const { type, text } = part as JsonObject
  return type === 'text' && typeof text === 'string' ? text : null
}
