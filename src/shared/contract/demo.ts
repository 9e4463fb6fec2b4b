import { z } from 'zod'
import { operation } from './operation.ts'

export const demoOpen = operation({
  name: 'demo.open',
  summary:
    'Start a demo with generated sessions in a temporary folder, next to this app, and return the link to it. It ends with this app.',
  place: 'main',
  writes: true,
  input: z.object({}),
  output: z.object({
    /** Opens the demo in a browser, signed in. */
    link: z.string(),
  }),
  http: { method: 'POST', path: '/api/demo/open' },
})
