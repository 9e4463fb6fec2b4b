import { z } from 'zod'
import { operation } from './operation.ts'

export const demoOpen = operation({
  name: 'demo.open',
  summary:
    'Start a demo with recorded sessions in a temporary folder, next to this app, and return the link to it. It ends with this app.',
  place: 'main',
  writes: true,
  output: z.object({
    /** Opens the demo in a browser, signed in. */
    link: z.string(),
  }),
  http: { method: 'POST', path: '/api/demo/open' },
})

export const demoLeave = operation({
  name: 'demo.leave',
  summary: 'Leave a demo: return the address of the app that it was opened from, or, if there is none, end the demo.',
  place: 'main',
  writes: true,
  output: z.object({
    /** null: the demo ends. */
    link: z.string().nullable(),
  }),
  http: { method: 'POST', path: '/api/demo/leave' },
})
