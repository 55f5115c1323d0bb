import { createContext } from 'react';
import type { EdgeClient } from '../client/edge-client.ts';

export const EdgeContext = createContext<EdgeClient | null>(null);
