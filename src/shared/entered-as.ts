import type { Payloads } from './event.ts'

type Prompt = Pick<Payloads['user_prompt'], 'entered_as'>

/** Input that the client handles without the model: its own commands, `!` lines and `#` notes. */
const FOR_THE_CLIENT: ReadonlySet<Prompt['entered_as']> = new Set(['local_command', 'shell', 'memory'])

/** True for input that counts as a prompt. What the client handles itself is a turn of its own, but no prompt. */
export const isForTheModel = ({ entered_as: enteredAs }: Prompt): boolean => !FOR_THE_CLIENT.has(enteredAs)
