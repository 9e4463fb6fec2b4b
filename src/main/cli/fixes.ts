import { chmodSync, statSync } from 'node:fs'
import { AspyError } from '../../shared/contract/errors.ts'
import { errorMessage } from '../../shared/error-text.ts'
import type { Finding, Fix, WantedMode } from '../clients/claude-code/doctor/checks.ts'
import { runProgram } from '../login-service/run-program.ts'
import { withTypedHere } from '../base/folder-of-run.ts'
import { shellQuoted } from '../base/shell-quoted.ts'
import { ownCommand } from './own-command.ts'

/** A fix that was done. `undo` is the command that takes it back. */
export interface DoneFix {
  readonly check: string
  readonly did: string
  readonly undo: string | null
}

/**
 * Does every fix that can be undone, in the order of the checks; `flags` say which Aspy. One that fails stops none of the
 * others; `failed` names the reason.
 */
export async function doFixes(
  findings: readonly Finding[],
  flags: readonly string[],
): Promise<{ readonly done: readonly DoneFix[]; readonly failed: readonly { check: string; reason: string }[] }> {
  const [done, failed]: [DoneFix[], { check: string; reason: string }[]] = [[], []]
  for (const { check, fix } of findings) {
    if (fix === undefined) continue
    try {
      done.push({ check, ...(await doFix(fix, flags)) })
    } catch (error) {
      failed.push({ check, reason: errorMessage(error) })
    }
  }
  return { done, failed }
}

async function doFix(fix: Fix, flags: readonly string[]): Promise<Omit<DoneFix, 'check'>> {
  if ('modes' in fix) return setModes(fix.modes)
  const [node, script] = ownCommand()
  const did = `aspy ${fix.command.join(' ')}`
  const { ok, output } = await runProgram(node, [script, ...fix.command, ...flags])
  if (!ok) throw new AspyError('conflict', `${did}: ${output.replace(/^aspy: /, '').trim()}`)
  return { did, undo: withTypedHere('aspy setup --undo') }
}

function setModes(modes: readonly WantedMode[]): Omit<DoneFix, 'check'> {
  const before = modes.map(({ path }) => ({ path, mode: statSync(path).mode & 0o777 }))
  for (const { path, mode } of modes) chmodSync(path, mode)
  return { did: modes.map(chmodCommand).join('; '), undo: before.map(chmodCommand).join('; ') }
}

const chmodCommand = ({ path, mode }: WantedMode): string => `chmod ${mode.toString(8)} ${shellQuoted(path)}`
