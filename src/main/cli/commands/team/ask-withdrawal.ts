import { AspyError } from '../../../../shared/contract/errors.ts'
import { canAsk, confirm } from '../../confirm.ts'

/** Flags that answer in advance whether to withdraw what was sent. */
export interface WithdrawalFlags {
  readonly withdraw?: boolean
  readonly keep?: boolean
}

/** Asks whether to delete in the team what was sent, unless a flag says so. Throws `bad_input` if nobody can be asked. */
export async function askWithdrawal({ withdraw, keep }: WithdrawalFlags, what: string): Promise<boolean> {
  if (withdraw === true && keep === true) throw new AspyError('bad_input', 'choose --withdraw or --keep')
  if (withdraw === true || keep === true) return withdraw === true
  if (!canAsk())
    throw new AspyError('bad_input', 'say what becomes of what was sent: --withdraw deletes it, --keep leaves it there')
  return confirm(`Delete in the team ${what}?`)
}
