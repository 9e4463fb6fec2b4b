import { expect, test, vi } from 'vitest'
import type { ServiceNews } from '../../shared/contract/live.ts'
import { ResumeWatch } from './resume-watch.ts'

function watching(lost: number | null, results = 0) {
  const told: ServiceNews[] = []
  const truth = vi.fn(async (session_id: string) => ({
    session_id,
    resumed:
      lost === null
        ? null
        : {
            at: '',
            basis: 'hook' as const,
            from_session_id: null,
            request: 'r',
            had: 9,
            carried: 9 - lost,
            lost_count: lost,
            lost_results: results,
            lost: [],
          },
    pack: null,
  }))
  const watch = new ResumeWatch({
    truth,
    report: (news) => void told.push(...news),
    onError: (error) => {
      throw error
    },
  })
  const commit = async (kind: string, text = '', agent_id: string | null = null) => {
    watch.committed([{ kind, session_id: '6513270e-1111', agent_id, text }])
    await new Promise((resolve) => setImmediate(resolve))
  }
  return { told, truth, commit }
}

test('reports a resume that carries less, once, after its first answer', async () => {
  const { told, commit } = watching(4)
  await commit('session_started', 'resume')
  expect(told).toEqual([])
  await commit('model_response')
  await commit('model_response')
  expect(told).toEqual([
    {
      kind: 'resume',
      title: 'A resumed session lacks 4 messages',
      text: 'Claude was sent 5 of 9 messages. Open session 6513270e to copy the rest.',
      session_id: '6513270e-1111',
    },
  ])
  await commit('session_started', 'resume')
  await commit('model_response')
  expect(told).toHaveLength(2)
})

test('asks nothing without a resume or for agents, and says nothing if all was carried', async () => {
  const { told, truth, commit } = watching(0)
  await commit('session_started', 'startup')
  await commit('model_response')
  await commit('session_started', 'resume')
  await commit('model_response', '', 'agent-1')
  expect(truth).not.toHaveBeenCalled()
  await commit('model_response')
  await commit('model_response')
  expect([truth.mock.calls.length, told]).toEqual([1, []])
})

test('waits for the next answer if the first does not tell', async () => {
  const { truth, commit } = watching(null)
  await commit('session_started', 'resume')
  await commit('model_response')
  await commit('model_response')
  expect(truth).toHaveBeenCalledTimes(2)
})

test('counts tool results apart', async () => {
  const { told, commit } = watching(0, 1)
  await commit('session_started', 'resume')
  await commit('model_response')
  expect(told.map(({ title }) => title)).toEqual(['A resumed session lacks 1 tool result'])
})
