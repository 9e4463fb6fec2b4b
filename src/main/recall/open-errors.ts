import { actionOf, type CallInput } from './tool-actions.ts'

/** The relevant fields of a tool call with its outcome. */
export interface TriedStep extends CallInput {
  readonly success: boolean | null
  readonly rejected: boolean
}

/**
 * Returns the failed calls that no later call made up for; `steps` and the result are newest first. A later success
 * counts if it ran the same or a broader command, edited the same file, or had the same arguments.
 */
export function openFailures<Step extends TriedStep>(steps: readonly Step[]): Step[] {
  const succeeded: Attempt[] = []
  const open: Step[] = []
  const reported: Attempt[] = []
  for (const step of steps) {
    if (step.rejected || step.success === null) continue
    const attempt = attemptOf(step)
    if (step.success) succeeded.push(attempt)
    else if (![...succeeded, ...reported].some((later) => overcomes(later, attempt))) {
      open.push(step)
      // An older failure of the same action is the same error.
      reported.push(attempt)
    }
  }
  return open
}

interface Attempt {
  readonly subject: string
  /** Words of a command; null: not a command. */
  readonly words: readonly string[] | null
}

function attemptOf(step: TriedStep): Attempt {
  const action = actionOf(step)
  if (action?.kind === 'command') {
    const words = essential(action.command).split(/\s+/)
    return { subject: words.slice(0, 2).join(' '), words }
  }
  if (action?.kind === 'edit') return { subject: `edit ${action.path}`, words: null }
  return { subject: `${step.tool_name} ${JSON.stringify(step.input)}`, words: null }
}

/** A command makes up for itself and each narrower one: `npm test` also ran what `npm test one.test.ts` runs. */
function overcomes(later: Attempt, failed: Attempt): boolean {
  if (later.words === null || failed.words === null) return later.subject === failed.subject
  const failedWords = failed.words
  if (later.words[0] !== failedWords[0]) return false
  return later.words.every((word, at) => (at === 0 ? true : failedWords.includes(word)))
}

/** Strips the parts that do not change a command's effect: folder, environment, output filters, a time limit. */
function essential(command: string): string {
  let rest = command.trim()
  for (let before = ''; before !== rest;) {
    before = rest
    rest = rest
      .replace(/^cd\s+(?:"[^"]*"|'[^']*'|\S+)\s*(?:&&|;)\s*/, '')
      .replace(/^(?:export\s+)?[A-Z_][A-Z0-9_]*=(?:"[^"]*"|'[^']*'|\S*)\s*(?:&&|;)?\s*/, '')
      .replace(/^(?:timeout|time|nice)\s+(?:-\S+\s+)*(?:\d+[smh]?\s+)?/, '')
      .replace(/\s*\|\s*(?:tail|head|grep|cat|tee|less|sed|awk)\b[^|]*$/, '')
      .replace(/\s*(?:2>&1|2>\s*\S+|&?>\s*\S+)\s*$/, '')
      .trim()
  }
  return rest
}
