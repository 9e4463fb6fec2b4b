type Payload = { readonly [key: string]: unknown }

const INTERRUPTED = '[Request interrupted by user]'
const INTERRUPTED_TOOL = '[Request interrupted by user for tool use]'

/** Returns a prompt as Claude Code writes it: commands and notes in their wrappers. */
export function promptWords({ text, entered_as: enteredAs }: Payload): unknown {
  if (typeof text !== 'string') return text
  switch (enteredAs) {
    case 'shell':
      return `<bash-input>${text.replace(/^!/, '')}</bash-input>`
    case 'memory':
      return `<user-memory-input>${text.replace(/^#/, '')}</user-memory-input>`
    case 'command':
      return commandWords(text, true)
    case 'local_command':
    case 'side_question':
      return commandWords(text, false)
    default:
      return text
  }
}

function commandWords(text: string, isForModel: boolean): string {
  const [, name = text, args = ''] = /^(\S+)\s*([\s\S]*)$/.exec(text) ?? []
  const wrapped = [
    `<command-name>${name}</command-name>`,
    `<command-message>${name.replace(/^\//, '')}</command-message>`,
  ]
  return [...(isForModel ? wrapped.toReversed() : wrapped), `<command-args>${args}</command-args>`].join('\n')
}

/** Returns the client's line for an interruption that an event reports; null for any other event. */
export function interruptionWords({ name, to, text }: Payload): string | null {
  if (name === 'interrupted') return to === 'tool use' || to === 'tool_use' ? INTERRUPTED_TOOL : INTERRUPTED
  return text === INTERRUPTED || text === INTERRUPTED_TOOL ? text : null
}

/** Returns the client's line for what a command printed; null for any other event. */
export const outputWords = ({ level, text }: Payload): string | null =>
  level === 'command_output' && typeof text === 'string' ? `<local-command-stdout>${text}</local-command-stdout>` : null

/** The client's line where a person stopped an answer. */
export const INTERRUPTED_ANSWER = INTERRUPTED
