import type { OperationInput } from '../../../shared/contract/index.ts'
import { firstCharacters } from '../../../shared/cut-text.ts'
import { keptMessages } from '../../../shared/kept-messages.ts'
import type { Client } from '../client.ts'
import { plain, plainLines, shownIds, when } from '../table.ts'
import { toPaste, type Printed } from './reading-command.ts'

/** Size limit of a printed pack, in tokens. */
const PACK_BUDGET = 4000

/** `aspy dropped ID [WORDS…]`: the texts that a compaction dropped, or a pack of them. */
export async function dropped(
  client: Client,
  input: OperationInput<'compactions.dropped'>,
  { pack, compaction }: { readonly pack?: boolean | undefined; readonly compaction?: string | undefined },
): Promise<Printed> {
  const budget = pack === true ? PACK_BUDGET : undefined
  const found = await client.call('compactions.dropped', { ...input, uuid: compaction, budget })
  if (found.pack !== undefined) return toPaste({ json: found, text: plainLines(found.pack.text) })
  const isKnown = found.summary !== ''
  const ids = shownIds(found.items.map(({ uuid }) => uuid))
  const texts = found.items.flatMap(({ timestamp, kind, content, lost }, at) => {
    if (isKnown && lost.length === 0) return []
    const text = isKnown ? lost.join(' ') : content
    return [`${when(timestamp)}  ${kind}  ${ids[at]}\n  ${firstCharacters(plain(text), 300)}`]
  })
  return { json: found, text: [...texts, keptMessages(found)].join('\n') }
}
