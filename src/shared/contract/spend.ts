import { z } from 'zod'
import { withoutPrice } from '../spend.ts'

export const unpriced = withoutPrice(z.number())

/** What calls cost. */
export const spend = { cost_usd: z.number(), ...unpriced }
