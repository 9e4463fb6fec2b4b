import type { Json } from '../../../../shared/json.ts'
import { plainLine } from '../../../../shared/plain-line.ts'
import { outputText, withoutErrorTags } from '../../../../shared/tool-output.ts'

/** How a client begins when a person refused, before what that person said. */
const BY_PERSON = /^(?:Error: )?The user (?:doesn't|does not|did not) want/i
const SAID = /\b(?:the user said|reason(?: given)?):\s*(\S[\s\S]*)/i

/** Says in a line why a call was refused: what the person or the rule said, or who refused. Empty: not known. */
export function refusalReason(output: Json): string {
  const text = withoutErrorTags(outputText(output))
  const said = SAID.exec(text)?.[1]
  if (said !== undefined) return plainLine(said)
  return BY_PERSON.test(text.trimStart()) ? 'by a person, who gave no reason' : plainLine(text)
}
