import { z } from 'zod'

/** Types of values that several sections use. */

/** A number of bytes. */
export const bytes = z.number().int().min(0)
/** A number of days, up to a century. */
export const days = z.number().int().min(0).max(36_500)
/** A TCP port; 0: any free one. */
export const port = z.number().int().min(0).max(65_535)
/** Time limit for a piece of work, in ms. */
export const milliseconds = z.number().int().min(10).max(10_000)
/** A list of non-empty texts; empty by default. */
export const words = z.array(z.string().min(1)).default([])

const address = z.url({ protocol: /^https?$/ })
/** A web address; empty by default. */
export const httpAddress = z
  .string()
  .refine((text) => text === '' || address.safeParse(text).success, 'an address that begins with http:// or https://')
  .default('')

/** Names that also fit into a certificate's name. Addresses are not names. */
const hostName = z
  .string()
  .max(64)
  .regex(
    /^(?=.*[a-z])[a-z\d]([a-z\d-]*[a-z\d])?(\.[a-z\d]([a-z\d-]*[a-z\d])?)+$/i,
    'a host name, such as api.anthropic.com',
  )
  .transform((name) => name.toLowerCase())
/** A short list of host names, in lower case. */
export const hostNames = z.array(hostName).max(20)
