import { call } from './client.ts'
import { formatCount, plural } from './format.ts'
import { type Pack, packInput } from './pack-store.ts'

/** Reads the text of a pack, and says how much it is. `known` is the answer if it is on screen. */
export async function packToCopy(
  pack: Pack,
  known?: { readonly text: string; readonly included: number; readonly tokens: number },
): Promise<{ readonly text: string; readonly notice: string }> {
  const { text, included, tokens } = known ?? (await call('recall.pack', packInput(pack)))
  const size = `${plural(included, pack.wholeTurns ? 'text' : 'hit')}, about ${formatCount(tokens)} tokens`
  return { text, notice: `Copied the pack: ${size}` }
}
