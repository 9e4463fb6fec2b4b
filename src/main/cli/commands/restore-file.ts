import { resolve } from 'node:path'
import type { OperationOutput } from '../../../shared/contract/index.ts'
import { connect } from '../client.ts'
import type { JsonFlag } from '../flags.ts'
import { ranges } from '../reading/files.ts'
import type { RunSettings } from '../settings-of-run.ts'
import { counted, plainLines } from '../table.ts'
import { print } from '../print-all.ts'

interface RestoreFlags extends JsonFlag {
  readonly at?: string
  readonly out?: string
  readonly over?: boolean
  readonly preview?: boolean
}

type Restored = OperationOutput<'files.restore'>

/** `aspy file restore`: writes the file as it was after an event, or shows what that would change. */
export async function restoreFile(settings: RunSettings, named: string, flags: RestoreFlags): Promise<void> {
  const client = await connect(settings)
  const answer = await client.call('files.restore', {
    path: resolve(named),
    uuid: flags.at,
    out: flags.out === undefined ? undefined : resolve(flags.out),
    over: flags.over ?? false,
    preview: flags.preview ?? false,
  })
  print({ json: answer, text: said(answer).join('\n') }, flags.json)
}

function said(answer: Restored): string[] {
  const { out, kept, lines, is_written, is_same } = answer
  if (is_same) return [`${out} is already so: nothing is written.`, ...doubtsOf(answer)]
  return [
    ...(is_written ? [] : changesIn(answer)),
    `${is_written ? 'Wrote' : 'Would write'} ${counted(lines, 'line')} to ${out}.`,
    ...(kept === null ? [] : [`The file before is ${kept}.`]),
    ...doubtsOf(answer),
  ]
}

function changesIn({ diff }: Restored): string[] {
  if (diff === null) return ['The present file is too large to compare, or is not text.']
  return diff === '' ? ['The present file has the same text.'] : [plainLines(diff)]
}

/** Returns why the text may not be the file's. */
function doubtsOf({ holes, is_whole, is_same, doubted_since: since, line_ending: ending }: Restored): string[] {
  return [
    ...(holes.length === 0
      ? []
      : [`Not recorded, and empty here: ${counted(holes.length, 'line')} (${ranges(holes)}).`]),
    ...(is_whole ? [] : ['The file may have had more lines.']),
    ...(ending === null && !is_same ? ['How its lines ended is not recorded: they end with LF.'] : []),
    ...(since === null ? [] : [`A call since then may have changed it: event ${since}.`]),
  ]
}
