#pragma once

#include <string>

namespace weft::comm {

/// Returns the network devices of this node by kind and rate, as the system reports them: "ethernet
/// 10000 Mb/s, rdma 100 Gb/sec (4X EDR)". It omits names, because equal nodes number devices
/// differently. The files of devices are in `devices`, normally /sys/class. Local.
std::string network_devices(const std::string& devices = "/sys/class");

/// Returns the environment's settings of MPI transports, in a fixed order: "OMPI_MCA_btl=tcp,self
/// UCX_TLS=rc". Local.
std::string transport_settings();

}  // namespace weft::comm
