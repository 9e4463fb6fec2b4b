import { firstCharacters } from '../../shared/cut-text.ts'
import { commandOutput, withoutErrorTags } from '../../shared/tool-output.ts'
import { withoutEscapes } from './escapes.ts'

/** Words and signs of a line that says what failed, or the place that a compiler names; `0 failed` says nothing. */
const FAILURE =
  /(?<!\b(?:0|no) )\b(?:\w*errors?|fail(?:ed|ures?)?)\b|exception|panic|fatal|denied|refused|not found|no such|cannot|[✗✘×✖❌]|^\S+\.\w+:\d+:\d+: /iu
const MAX_LINE = 200

/** Returns the line of an error that says what failed: the first with such a word, else the first. */
export function errorLine(error: string): string | null {
  const { text, exitCode } = commandOutput(withoutEscapes(withoutErrorTags(error)))
  const lines = text.split('\n').map((line) => line.trim())
  const line = lines.find((one) => FAILURE.test(one)) ?? lines.find((one) => one !== '')
  if (line !== undefined) return firstCharacters(line, MAX_LINE)
  return exitCode === null ? null : `Exit code ${exitCode}`
}
