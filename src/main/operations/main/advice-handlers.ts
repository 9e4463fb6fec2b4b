import type { Advice } from '../../../shared/contract/advice.ts'
import { AspyError } from '../../../shared/contract/errors.ts'
import { MONTH_DAYS } from '../../../shared/time-units.ts'
import { applyDiff, undoChange } from '../../advice/applied-fix.ts'
import { decide, readDecisions, type Decision } from '../../advice/decisions.ts'
import type { MainHandlers } from '../../dispatch/handlers.ts'
import type { Read } from '../../session-page/page-facts.ts'

type AdviceHandlers = Pick<MainHandlers, 'advice.apply' | 'advice.undo' | 'advice.dismiss'>

/** Creates the handlers of what a person decides about suggestions. */
export function createAdviceHandlers(read: Read, dataDir: string): AdviceHandlers {
  async function found(id: string): Promise<Advice> {
    const { items } = await read('advice.list', {})
    const item = items.find((one) => one.id === id)
    if (item === undefined) throw new AspyError('not_found', `there is no suggestion ${id}; aspy advise lists them`)
    return item
  }
  const settled = async (id: string, decision: Decision | null, note: string | null = null) => {
    decide(dataDir, id, decision)
    return { item: await found(id), note }
  }
  const facts = ({
    hits,
    opportunities,
    recorded_days: days,
    usd_per_month: usd,
    minutes_per_month: minutes,
    servers,
  }: Advice) => ({
    at: new Date().toISOString(),
    hits,
    servers,
    promised: ((usd > 0 ? usd : minutes) * Math.max(1, days / MONTH_DAYS)) / opportunities,
  })
  return {
    async 'advice.apply'({ id }) {
      const item = await found(id)
      const decisions = readDecisions(dataDir)
      if (decisions[id]?.state === 'applied') throw new AspyError('conflict', `${id} is applied already`)
      if (item.fix === null) throw new AspyError('conflict', 'there is nothing to change: the client is the cause')
      const [change] = item.fix.files
      const file = change === undefined ? null : applyDiff(change.path, change.diff, decisions)
      const note =
        file === null
          ? 'Marked as done; Aspy changed no file: follow the steps shown. From now on it checks whether the steps helped.'
          : null
      return settled(id, { ...facts(item), state: 'applied', file }, note)
    },
    async 'advice.undo'({ id }) {
      const decisions = readDecisions(dataDir)
      const decision = decisions[id]
      if (decision === undefined || decision.state === 'undone')
        throw new AspyError('conflict', `${id} is neither applied nor dismissed`)
      if (decision.state === 'dismissed') return settled(id, null)
      const note = decision.file === null ? null : undoChange(decision.file, decisions)
      return settled(id, { ...decision, state: 'undone', at: new Date().toISOString(), file: null }, note)
    },
    async 'advice.dismiss'({ id }) {
      const item = await found(id)
      if (readDecisions(dataDir)[id]?.state === 'applied')
        throw new AspyError('conflict', `${id} is applied; undo it first`)
      return settled(id, { ...facts(item), state: 'dismissed', file: null })
    },
  }
}
