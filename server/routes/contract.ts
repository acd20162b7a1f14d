import type { PublicRoute } from '../http/contract/route.js';
import type {
  GetContractJsonData,
  GetContractJsonResponses,
  GetContractYamlData,
  GetContractYamlResponses,
} from '../http/contract/wire.js';

/** The generator omits answers that are neither successes nor errors. */
type NotModified = { 304: undefined };

export const getContractYaml: PublicRoute<GetContractYamlData, GetContractYamlResponses & NotModified> = async (
  request,
  { contract },
) => {
  const { headers, body } = contract.yaml.serve(request.headers);
  return body ? { status: 200, headers, body } : { status: 304, headers };
};

export const getContractJson: PublicRoute<GetContractJsonData, GetContractJsonResponses & NotModified> = async (
  request,
  { contract },
) => {
  const { headers, body } = contract.json.serve(request.headers);
  return body ? { status: 200, headers, body } : { status: 304, headers };
};
