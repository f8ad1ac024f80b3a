// The copy of the public suite that CACHE_TESTS names.

import { pathToFileURL } from 'node:url'

/** The URL of a file of the copy. */
export const place = path => new URL(path, pathToFileURL(`${process.env.CACHE_TESTS}/`))

/** A module of the copy. */
export const load = path => import(place(path))
