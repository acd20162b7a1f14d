import type { PublicRoute } from '../http/contract/route.js';
import type {
  GetContractJsonData,
  GetContractJsonResponses,
  GetContractYamlData,
  GetContractYamlResponses,
} from '../http/contract/wire.js';

export const getContractYaml: PublicRoute<GetContractYamlData, GetContractYamlResponses> = async (
  _request,
  { contract },
) => {
  return { status: 200, body: contract.yaml };
};

export const getContractJson: PublicRoute<GetContractJsonData, GetContractJsonResponses> = async (
  _request,
  { contract },
) => {
  return { status: 200, body: contract.json };
};
