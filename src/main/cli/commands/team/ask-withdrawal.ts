import { AspyError } from '../../../../shared/contract/errors.ts'
import { canAsk, confirm } from '../../confirm.ts'

/** Flags that decide in advance whether to withdraw the data sent. */
export interface WithdrawalFlags {
  readonly withdraw?: boolean
  readonly keep?: boolean
}

/**
 * Asks whether to delete the sent data from the team, unless a flag decides. Throws `bad_input` if nobody can be asked.
 */
export async function askWithdrawal({ withdraw, keep }: WithdrawalFlags, what: string): Promise<boolean> {
  if (withdraw === true && keep === true) throw new AspyError('bad_input', 'choose --withdraw or --keep')
  if (withdraw === true || keep === true) return withdraw === true
  if (!canAsk())
    throw new AspyError(
      'bad_input',
      'choose what happens to the data already sent: --withdraw deletes it, --keep keeps it in the team',
    )
  return confirm(`Delete from the team ${what}?`)
}
