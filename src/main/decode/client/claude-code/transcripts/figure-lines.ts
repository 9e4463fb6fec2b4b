import { isJson } from '../../../json-access.ts'

/** The first bytes of a line show its type. */
const HEAD_BYTES = 900

/** A shorter line is read whole: it has little besides its figures. */
const LONG_BYTES = 500

const USER = '"type":"user"'
const USER_BYTES = Buffer.from(USER)
const ASSISTANT = '"type":"assistant"'
const ASSISTANT_BYTES = Buffer.from(ASSISTANT)
const TOOL_RESULT = '"type":"tool_result"'
const SIDE_CHAIN = '"isSidechain":true'
const PROGRESS = '"type":"progress","data":{'
const TEXT = Buffer.from('"type":"text"')
/** Searched before `TEXT`: the client's copy of a file that was read is not a prompt. */
const READ_FILE = Buffer.from('"toolUseResult":{')
const CONTENT = '"content":['
const AFTER_CONTENT = Buffer.from('],"stop_reason"')
/** Text that the API writes between an answer's content and its usage. */
const END_OF_ANSWER = /^\],"stop_reason":(?:null|"\w+")(?:,"\w+":(?:null|"[^"\\]*"))*,"usage":\{/
const END_BYTES = 200
/** Field of a call that starts an agent. */
const PROMPT = Buffer.from('"prompt":')

/**
 * Returns a line as text if it can hold figures, titles or prompts. Tool results and progress reports, most of a
 * transcript's bytes, cannot. Long lines of the model come without its text, since their figures are before and after
 * it.
 */
export function figuresOf(line: Buffer): string | null {
  // Compared as Latin-1, which copies bytes: every search term is ASCII.
  const head = line.toString('latin1', 0, HEAD_BYTES)
  return mayHoldFigures(line, head) ? figuresIn(line, head) : null
}

/** Quotes inside texts are escaped, so that no text looks like a field. In side chains, every line leads to its agent. */
function mayHoldFigures(line: Buffer, head: string): boolean {
  if (head.includes(PROGRESS))
    return line.includes(ASSISTANT_BYTES) || (line.includes(USER_BYTES) && !isOnlyResult(line))
  const isResult = head.includes(TOOL_RESULT) && head.includes(USER) && !head.includes(SIDE_CHAIN)
  return !isResult || hasPrompt(line)
}

/** An agent's result within a report of progress. */
const isOnlyResult = (line: Buffer): boolean => line.includes(TOOL_RESULT) && !hasPrompt(line)

/** A prompt may follow the results. */
function hasPrompt(line: Buffer): boolean {
  for (let at = line.indexOf(TEXT); at >= 0; at = line.indexOf(TEXT, at + TEXT.length))
    if (!line.subarray(Math.max(0, at - READ_FILE.length), at).equals(READ_FILE)) return true
  return false
}

/** An agent's lines in reports of progress are kept whole, since only their content distinguishes them. */
function figuresIn(line: Buffer, head: string): string {
  if (line.length >= LONG_BYTES && !head.includes(PROGRESS)) {
    const from = head.indexOf(CONTENT) + CONTENT.length
    const to = line.lastIndexOf(AFTER_CONTENT)
    const isAnswer = () => head.includes(ASSISTANT) || line.includes(ASSISTANT_BYTES, to)
    if (from > CONTENT.length && to > from && isAnswer() && !line.subarray(from, to).includes(PROMPT)) {
      const text = line.toString('utf8', 0, from) + line.toString('utf8', to)
      // If the answer ends differently, the match is in the input of a call that contains similar text.
      if (END_OF_ANSWER.test(line.toString('latin1', to, to + END_BYTES)) || isJson(text)) return text
    }
  }
  return line.toString('utf8')
}
